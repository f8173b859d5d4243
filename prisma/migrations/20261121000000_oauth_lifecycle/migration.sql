-- AlterTable
ALTER TABLE "users" ADD COLUMN "sessions_ended_at" TIMESTAMPTZ(3);

-- DropIndex
DROP INDEX "oauth_states_model_uid_key";

-- CreateIndex
CREATE INDEX "oauth_states_model_uid_idx" ON "oauth_states"("model", "uid");

-- What Prisma cannot say: what cleaning looks for among rows that are nearly all to be kept.

create index oauth_clients_dynamic on oauth_clients (created_at) where dynamic;
create index oauth_grants_unfinished on oauth_grants (created_at) where team_id is null;
