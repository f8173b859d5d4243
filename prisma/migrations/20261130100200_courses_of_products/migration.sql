-- The courses in which the buyers of a product are enrolled.
-- AlterTable
ALTER TABLE "products" ADD COLUMN     "course_ids" BIGINT[] NOT NULL DEFAULT ARRAY[]::BIGINT[];
