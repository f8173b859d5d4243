-- AlterTable
ALTER TABLE "users" ADD COLUMN "sessions_ended_at" TIMESTAMPTZ(3);

-- DropIndex
DROP INDEX "oauth_states_model_uid_key";

-- CreateIndex
CREATE INDEX "oauth_states_model_uid_idx" ON "oauth_states"("model", "uid");
