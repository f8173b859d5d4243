-- Sales: pipelines of stages, opportunities that move through them, and notes. An opportunity has the currency of its pipeline, and its
-- stage is one of that pipeline.

-- CreateTable
CREATE SEQUENCE pipelines_id_seq;

CREATE TABLE "pipelines" (
    "id" BIGINT NOT NULL DEFAULT draw_id(120, 'pipelines_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(120, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "pipelines_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE pipelines_id_seq OWNED BY pipelines.id;
-- checked: of a table that no version before has
call open_to_tenants('pipelines', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('pipelines', 120);

-- CreateTable
CREATE SEQUENCE pipeline_stages_id_seq;

CREATE TABLE "pipeline_stages" (
    "id" BIGINT NOT NULL DEFAULT draw_id(121, 'pipeline_stages_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(121, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "pipeline_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "close_probability" DECIMAL NOT NULL DEFAULT 0,
    "position" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "pipeline_stages_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "pipeline_stages_close_probability_check" CHECK (close_probability between 0 and 100)
);

ALTER SEQUENCE pipeline_stages_id_seq OWNED BY pipeline_stages.id;
-- checked: of a table that no version before has
call open_to_tenants('pipeline_stages', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('pipeline_stages', 121);

-- CreateTable
CREATE SEQUENCE opportunities_id_seq;

CREATE TABLE "opportunities" (
    "id" BIGINT NOT NULL DEFAULT draw_id(122, 'opportunities_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(122, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "pipeline_id" BIGINT NOT NULL,
    "pipelines_stage_id" BIGINT NOT NULL,
    "primary_contact_id" BIGINT NOT NULL,
    "assignee_id" BIGINT,
    "value" DECIMAL,
    "currency" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'open',
    "closed_at" TIMESTAMPTZ(3),
    "was_closed" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "personal_since" TIMESTAMPTZ(6) DEFAULT clock_timestamp(),
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "opportunities_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "opportunities_value_check" CHECK (value between 0 and 999999999999),
    CONSTRAINT "opportunities_status_check" CHECK (status in ('open', 'won', 'lost', 'closed') and (status = 'open') = (closed_at is null)),
    CONSTRAINT "opportunities_was_closed_check" CHECK (was_closed or closed_at is null)
);

ALTER SEQUENCE opportunities_id_seq OWNED BY opportunities.id;
-- checked: of a table that no version before has
call open_to_tenants('opportunities', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('opportunities', 122);

-- CreateTable
CREATE SEQUENCE opportunity_notes_id_seq;

CREATE TABLE "opportunity_notes" (
    "id" BIGINT NOT NULL DEFAULT draw_id(123, 'opportunity_notes_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(123, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "opportunity_id" BIGINT NOT NULL,
    "content" TEXT NOT NULL,
    "created_by_id" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "personal_since" TIMESTAMPTZ(6) DEFAULT clock_timestamp(),
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "opportunity_notes_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE opportunity_notes_id_seq OWNED BY opportunity_notes.id;
-- checked: of a table that no version before has
call open_to_tenants('opportunity_notes', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('opportunity_notes', 123);

-- CreateIndex
CREATE INDEX "pipelines_id_idx" ON "pipelines" USING HASH ("id");

-- CreateIndex
CREATE INDEX "pipelines_workspace_id_updated_at_id_idx" ON "pipelines"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "pipelines_workspace_id_id_currency_key" ON "pipelines"("workspace_id", "id", "currency");

-- CreateIndex
CREATE INDEX "pipeline_stages_id_idx" ON "pipeline_stages" USING HASH ("id");

-- CreateIndex
CREATE INDEX "pipeline_stages_workspace_id_pipeline_id_updated_at_id_idx" ON "pipeline_stages"("workspace_id", "pipeline_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "pipeline_stages_workspace_id_pipeline_id_position_id_idx" ON "pipeline_stages"("workspace_id", "pipeline_id", "position", "id");

-- CreateIndex
CREATE UNIQUE INDEX "pipeline_stages_workspace_id_pipeline_id_id_key" ON "pipeline_stages"("workspace_id", "pipeline_id", "id");

-- CreateIndex
CREATE INDEX "opportunities_id_idx" ON "opportunities" USING HASH ("id");

-- CreateIndex
CREATE INDEX "opportunities_workspace_id_updated_at_id_idx" ON "opportunities"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "opportunities_workspace_id_created_at_id_idx" ON "opportunities"("workspace_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "opportunities_workspace_id_pipeline_id_id_idx" ON "opportunities"("workspace_id", "pipeline_id", "id");

-- CreateIndex
CREATE INDEX "opportunities_workspace_id_pipeline_id_updated_at_id_idx" ON "opportunities"("workspace_id", "pipeline_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "opportunities_workspace_id_pipelines_stage_id_id_idx" ON "opportunities"("workspace_id", "pipelines_stage_id", "id");

-- CreateIndex
CREATE INDEX "opportunities_workspace_id_pipelines_stage_id_updated_at_id_idx" ON "opportunities"("workspace_id", "pipelines_stage_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "opportunities_workspace_id_primary_contact_id_id_idx" ON "opportunities"("workspace_id", "primary_contact_id", "id");

-- CreateIndex
CREATE INDEX "opportunities_workspace_id_primary_contact_id_updated_at_id_idx" ON "opportunities"("workspace_id", "primary_contact_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "opportunities_workspace_id_assignee_id_id_idx" ON "opportunities"("workspace_id", "assignee_id", "id");

-- CreateIndex
CREATE INDEX "opportunities_workspace_id_assignee_id_updated_at_id_idx" ON "opportunities"("workspace_id", "assignee_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "opportunities_workspace_id_status_id_idx" ON "opportunities"("workspace_id", "status", "id");

-- CreateIndex
CREATE INDEX "opportunity_notes_id_idx" ON "opportunity_notes" USING HASH ("id");

-- CreateIndex
CREATE INDEX "opportunity_notes_workspace_id_opportunity_id_id_idx" ON "opportunity_notes"("workspace_id", "opportunity_id", "id");

-- CreateIndex
CREATE INDEX "opportunity_notes_workspace_id_opportunity_id_updated_at_id_idx" ON "opportunity_notes"("workspace_id", "opportunity_id", "updated_at", "id");

-- AddForeignKey
ALTER TABLE "pipelines" ADD CONSTRAINT "pipelines_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "pipeline_stages" ADD CONSTRAINT "pipeline_stages_workspace_id_pipeline_id_fkey" FOREIGN KEY ("workspace_id", "pipeline_id") REFERENCES "pipelines"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "opportunities" ADD CONSTRAINT "opportunities_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "opportunities" ADD CONSTRAINT "opportunities_workspace_id_pipeline_id_fkey" FOREIGN KEY ("workspace_id", "pipeline_id", "currency") REFERENCES "pipelines"("workspace_id", "id", "currency") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "opportunities" ADD CONSTRAINT "opportunities_workspace_id_pipelines_stage_id_fkey" FOREIGN KEY ("workspace_id", "pipeline_id", "pipelines_stage_id") REFERENCES "pipeline_stages"("workspace_id", "pipeline_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "opportunities" ADD CONSTRAINT "opportunities_workspace_id_primary_contact_id_fkey" FOREIGN KEY ("workspace_id", "primary_contact_id") REFERENCES "contacts"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "opportunity_notes" ADD CONSTRAINT "opportunity_notes_workspace_id_opportunity_id_fkey" FOREIGN KEY ("workspace_id", "opportunity_id") REFERENCES "opportunities"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
