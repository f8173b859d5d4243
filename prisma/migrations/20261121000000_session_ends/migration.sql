-- AlterTable
ALTER TABLE "users" ADD COLUMN "sessions_ended_at" TIMESTAMPTZ(3);
