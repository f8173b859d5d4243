-- Teams have OAuth clients of their own. They stand among all clients, whose id is the `client_id`; here they have the ids of other nouns.

-- CreateTable
CREATE SEQUENCE team_oauth_clients_id_seq;

CREATE TABLE "team_oauth_clients" (
    "id" BIGINT NOT NULL DEFAULT draw_id(151, 'team_oauth_clients_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(151, id)) STORED,
    "team_id" BIGINT NOT NULL,
    "client_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "team_oauth_clients_pkey" PRIMARY KEY ("id")
);

ALTER SEQUENCE team_oauth_clients_id_seq OWNED BY team_oauth_clients.id;

-- CreateIndex
CREATE UNIQUE INDEX "team_oauth_clients_client_id_key" ON "team_oauth_clients"("client_id");
CREATE INDEX "team_oauth_clients_team_id_id_idx" ON "team_oauth_clients"("team_id", "id");

-- AddForeignKey
ALTER TABLE "team_oauth_clients" ADD CONSTRAINT "team_oauth_clients_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "team_oauth_clients" ADD CONSTRAINT "team_oauth_clients_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "oauth_clients"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The clients that the operator made for a team are the team's.
-- checked: of a table that no version before has
INSERT INTO "team_oauth_clients" ("team_id", "client_id", "created_at")
SELECT "team_id", "id", "created_at" FROM "oauth_clients" WHERE "team_id" IS NOT NULL ORDER BY "created_at", "id";

-- A client ends no later than the credential by which it was made.
ALTER TABLE "oauth_clients" ADD COLUMN "expires_at" TIMESTAMPTZ(3);
