-- Appointments of contacts. One ends after it begins, and is canceled or takes place.

-- CreateTable
CREATE SEQUENCE appointments_id_seq;

CREATE TABLE "appointments" (
    "id" BIGINT NOT NULL DEFAULT draw_id(150, 'appointments_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(150, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'scheduled',
    "event_type" JSONB,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3),
    "tzid" TEXT,
    "comments" TEXT,
    "max_invitees" INTEGER,
    "order_id" BIGINT,
    "primary_contact_id" BIGINT NOT NULL,
    "personal_since" TIMESTAMPTZ(6) DEFAULT clock_timestamp(),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "appointments_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "appointments_status_check" CHECK (status in ('scheduled', 'canceled')),
    CONSTRAINT "appointments_ends_at_check" CHECK (ends_at > starts_at),
    CONSTRAINT "appointments_max_invitees_check" CHECK (max_invitees > 0)
);

ALTER SEQUENCE appointments_id_seq OWNED BY appointments.id;
-- checked: of a table that no version before has
call open_to_tenants('appointments', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('appointments', 150);

-- CreateIndex
CREATE INDEX "appointments_id_idx" ON "appointments" USING HASH ("id");

-- CreateIndex
CREATE INDEX "appointments_workspace_id_updated_at_id_idx" ON "appointments"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "appointments_workspace_id_created_at_id_idx" ON "appointments"("workspace_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "appointments_workspace_id_starts_at_id_idx" ON "appointments"("workspace_id", "starts_at", "id");

-- CreateIndex
CREATE INDEX "appointments_workspace_id_primary_contact_id_id_idx" ON "appointments"("workspace_id", "primary_contact_id", "id");

-- CreateIndex
CREATE INDEX "appointments_workspace_id_primary_contact_id_updated_at_id_idx" ON "appointments"("workspace_id", "primary_contact_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "appointments_workspace_id_order_id_idx" ON "appointments"("workspace_id", "order_id");

-- AddForeignKey
ALTER TABLE "appointments" ADD CONSTRAINT "appointments_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "appointments" ADD CONSTRAINT "appointments_workspace_id_order_id_fkey" FOREIGN KEY ("workspace_id", "order_id") REFERENCES "orders"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "appointments" ADD CONSTRAINT "appointments_workspace_id_primary_contact_id_fkey" FOREIGN KEY ("workspace_id", "primary_contact_id") REFERENCES "contacts"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

