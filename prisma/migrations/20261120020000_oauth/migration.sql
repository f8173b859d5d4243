-- CreateEnum
CREATE TYPE "team_role" AS ENUM ('owner', 'admin', 'member');

-- CreateTable
CREATE TABLE "users" (
    "id" BIGSERIAL NOT NULL,
    "public_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabled_at" TIMESTAMPTZ(3),

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "team_members" (
    "user_id" BIGINT NOT NULL,
    "team_id" BIGINT NOT NULL,
    "role" "team_role" NOT NULL DEFAULT 'member',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "team_members_pkey" PRIMARY KEY ("user_id","team_id")
);

-- CreateTable
CREATE TABLE "oauth_clients" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "metadata" JSONB NOT NULL,
    "secret_hash" BYTEA,
    "team_id" BIGINT,
    "workspace_ids" BIGINT[] NOT NULL DEFAULT '{}',
    "whole_team" BOOLEAN NOT NULL DEFAULT true,
    "dynamic" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabled_at" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_clients_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "oauth_grants" (
    "id" BIGSERIAL NOT NULL,
    "public_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "client_id" TEXT NOT NULL,
    "team_id" BIGINT,
    "workspace_ids" BIGINT[] NOT NULL DEFAULT '{}',
    "whole_team" BOOLEAN NOT NULL DEFAULT true,
    "scopes" TEXT[] NOT NULL DEFAULT '{}',
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_grants_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "oauth_states" (
    "model" TEXT NOT NULL,
    "id_hash" BYTEA NOT NULL,
    "payload" JSONB NOT NULL,
    "grant_key" TEXT,
    "uid" TEXT,
    "user_id" BIGINT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "consumed_at" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_states_pkey" PRIMARY KEY ("model","id_hash")
);

-- CreateTable
CREATE TABLE "oauth_access_tokens" (
    "jti" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "client_id" TEXT NOT NULL,
    "grant_key" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_access_tokens_pkey" PRIMARY KEY ("jti")
);

-- CreateTable
CREATE TABLE "signing_keys" (
    "id" TEXT NOT NULL,
    "alg" TEXT NOT NULL,
    "public_jwk" JSONB NOT NULL,
    "sealed_private" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "active_at" TIMESTAMPTZ(3) NOT NULL,
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "signing_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sign_in_failures" (
    "key_hash" BYTEA NOT NULL,
    "failures" INTEGER NOT NULL,
    "window_start" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_failures_pkey" PRIMARY KEY ("key_hash")
);

-- CreateIndex
CREATE UNIQUE INDEX "users_public_id_key" ON "users"("public_id");

-- CreateIndex
CREATE INDEX "team_members_team_id_idx" ON "team_members"("team_id");

-- CreateIndex
CREATE INDEX "oauth_clients_team_id_idx" ON "oauth_clients"("team_id");

-- CreateIndex
CREATE UNIQUE INDEX "oauth_grants_public_id_key" ON "oauth_grants"("public_id");

-- CreateIndex
CREATE UNIQUE INDEX "oauth_grants_key_key" ON "oauth_grants"("key");

-- CreateIndex
CREATE INDEX "oauth_grants_team_id_id_idx" ON "oauth_grants"("team_id", "id");

-- CreateIndex
CREATE INDEX "oauth_grants_user_id_client_id_idx" ON "oauth_grants"("user_id", "client_id");

-- CreateIndex
CREATE INDEX "oauth_grants_client_id_idx" ON "oauth_grants"("client_id");

-- CreateIndex
CREATE INDEX "oauth_states_grant_key_idx" ON "oauth_states"("grant_key");

-- CreateIndex
CREATE INDEX "oauth_states_user_id_idx" ON "oauth_states"("user_id");

-- CreateIndex
CREATE INDEX "oauth_states_expires_at_idx" ON "oauth_states"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "oauth_states_model_uid_key" ON "oauth_states"("model", "uid");

-- CreateIndex
CREATE INDEX "oauth_access_tokens_grant_key_idx" ON "oauth_access_tokens"("grant_key");

-- CreateIndex
CREATE INDEX "oauth_access_tokens_client_id_idx" ON "oauth_access_tokens"("client_id");

-- CreateIndex
CREATE INDEX "oauth_access_tokens_expires_at_idx" ON "oauth_access_tokens"("expires_at");

-- CreateIndex
CREATE INDEX "sign_in_failures_window_start_idx" ON "sign_in_failures"("window_start");

-- AddForeignKey
ALTER TABLE "team_members" ADD CONSTRAINT "team_members_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "team_members" ADD CONSTRAINT "team_members_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_clients" ADD CONSTRAINT "oauth_clients_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_grants" ADD CONSTRAINT "oauth_grants_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_grants" ADD CONSTRAINT "oauth_grants_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "oauth_clients"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_grants" ADD CONSTRAINT "oauth_grants_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_access_tokens" ADD CONSTRAINT "oauth_access_tokens_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "oauth_clients"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_access_tokens" ADD CONSTRAINT "oauth_access_tokens_grant_key_fkey" FOREIGN KEY ("grant_key") REFERENCES "oauth_grants"("key") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot say.

create unique index users_email_key on users (lower(email));
alter table users
  add constraint users_email_form check (email ~ '^[^@\s]+@[^@\s]+$' and length(email) <= 254),
  add constraint users_name_length check (length(name) between 1 and 100);

alter table oauth_clients
  add constraint oauth_clients_name_length check (length(name) between 1 and 200),
  add constraint oauth_clients_secret_hash_length check (octet_length(secret_hash) = 32),
  -- Nobody vouches for a client that registered itself: it never acts for a team on its own.
  add constraint oauth_clients_dynamic_no_team check (not dynamic or team_id is null),
  add constraint oauth_clients_reach check (whole_team = (cardinality(workspace_ids) = 0)),
  add constraint oauth_clients_metadata_no_secret check (not metadata ? 'client_secret');

alter table oauth_grants
  add constraint oauth_grants_reach check (whole_team = (cardinality(workspace_ids) = 0));

alter table oauth_states
  add constraint oauth_states_id_hash_length check (octet_length(id_hash) = 32);

alter table oauth_access_tokens
  add constraint oauth_access_tokens_kind check (kind in ('AccessToken', 'ClientCredentials'));

alter table signing_keys
  add constraint signing_keys_life check (retired_at is null or retired_at > active_at);

-- Gateways remember for a moment whether a token is live, and which keys there are (see notify_changes).

create trigger users_notify after delete or update of disabled_at, name, email
  on users for each statement execute function notify_lookup_change();

create trigger team_members_notify after delete or update
  on team_members for each statement execute function notify_lookup_change();

create trigger oauth_clients_notify after delete or update
  on oauth_clients for each statement execute function notify_lookup_change();

create trigger oauth_grants_notify after delete or update of revoked_at, expires_at, team_id, workspace_ids, whole_team
  on oauth_grants for each statement execute function notify_lookup_change();

create trigger oauth_access_tokens_notify after update of revoked_at
  on oauth_access_tokens for each statement execute function notify_lookup_change();

create trigger signing_keys_notify after insert or delete or update
  on signing_keys for each statement execute function notify_lookup_change();
