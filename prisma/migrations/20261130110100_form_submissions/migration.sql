-- Submissions of forms with their answers. A submission that is handed over to another contact takes its records along.

-- CreateTable
CREATE SEQUENCE form_submissions_id_seq;

CREATE TABLE "form_submissions" (
    "id" BIGINT NOT NULL DEFAULT draw_id(114, 'form_submissions_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(114, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "form_id" BIGINT NOT NULL,
    "contact_id" BIGINT NOT NULL,
    "page_id" BIGINT,
    "data" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "personal_since" TIMESTAMPTZ(6) DEFAULT clock_timestamp(),
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "form_submissions_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "form_submissions_data_check" CHECK (jsonb_typeof(data) = 'object')
);

ALTER SEQUENCE form_submissions_id_seq OWNED BY form_submissions.id;
-- checked: of a table that no version before has
call open_to_tenants('form_submissions', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('form_submissions', 114);

-- CreateTable
CREATE SEQUENCE form_submission_answers_id_seq;

CREATE TABLE "form_submission_answers" (
    "id" BIGINT NOT NULL DEFAULT draw_id(115, 'form_submission_answers_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(115, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "form_id" BIGINT NOT NULL,
    "submission_id" BIGINT NOT NULL,
    "field_id" BIGINT NOT NULL,
    "fields_option_ids" BIGINT[] NOT NULL DEFAULT ARRAY[]::BIGINT[],
    "entry" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "personal_since" TIMESTAMPTZ(6) DEFAULT clock_timestamp(),
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "form_submission_answers_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE form_submission_answers_id_seq OWNED BY form_submission_answers.id;
-- checked: of a table that no version before has
call open_to_tenants('form_submission_answers', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('form_submission_answers', 115);

-- CreateIndex
CREATE INDEX "form_submissions_id_idx" ON "form_submissions" USING HASH ("id");

-- CreateIndex
CREATE INDEX "form_submissions_workspace_id_updated_at_id_idx" ON "form_submissions"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "form_submissions_workspace_id_created_at_id_idx" ON "form_submissions"("workspace_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "form_submissions_workspace_id_form_id_updated_at_id_idx" ON "form_submissions"("workspace_id", "form_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "form_submissions_workspace_id_form_id_created_at_id_idx" ON "form_submissions"("workspace_id", "form_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "form_submissions_workspace_id_form_id_contact_id_id_idx" ON "form_submissions"("workspace_id", "form_id", "contact_id", "id");

-- CreateIndex
CREATE INDEX "form_submissions_workspace_id_form_id_page_id_id_idx" ON "form_submissions"("workspace_id", "form_id", "page_id", "id");

-- CreateIndex
CREATE INDEX "form_submissions_workspace_id_contact_id_id_idx" ON "form_submissions"("workspace_id", "contact_id", "id");

-- CreateIndex
CREATE INDEX "form_submissions_workspace_id_contact_id_updated_at_id_idx" ON "form_submissions"("workspace_id", "contact_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "form_submissions_workspace_id_page_id_id_idx" ON "form_submissions"("workspace_id", "page_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "form_submissions_workspace_id_form_id_id_key" ON "form_submissions"("workspace_id", "form_id", "id");

-- CreateIndex
CREATE INDEX "form_submission_answers_id_idx" ON "form_submission_answers" USING HASH ("id");

-- CreateIndex
CREATE INDEX "form_submission_answers_workspace_id_submission_id_id_idx" ON "form_submission_answers"("workspace_id", "submission_id", "id");

-- CreateIndex
CREATE INDEX "form_submission_answers_workspace_id_submission_id_updated__idx" ON "form_submission_answers"("workspace_id", "submission_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "form_submission_answers_workspace_id_form_id_field_id_idx" ON "form_submission_answers"("workspace_id", "form_id", "field_id");

-- AddForeignKey
ALTER TABLE "form_submissions" ADD CONSTRAINT "form_submissions_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "form_submissions" ADD CONSTRAINT "form_submissions_workspace_id_form_id_fkey" FOREIGN KEY ("workspace_id", "form_id") REFERENCES "forms"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "form_submissions" ADD CONSTRAINT "form_submissions_workspace_id_contact_id_fkey" FOREIGN KEY ("workspace_id", "contact_id") REFERENCES "contacts"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "form_submissions" ADD CONSTRAINT "form_submissions_workspace_id_page_id_fkey" FOREIGN KEY ("workspace_id", "page_id") REFERENCES "pages"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "form_submission_answers" ADD CONSTRAINT "form_submission_answers_submission_id_fkey" FOREIGN KEY ("workspace_id", "form_id", "submission_id") REFERENCES "form_submissions"("workspace_id", "form_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "form_submission_answers" ADD CONSTRAINT "form_submission_answers_field_id_fkey" FOREIGN KEY ("workspace_id", "form_id", "field_id") REFERENCES "form_fields"("workspace_id", "form_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- checked: of an earlier version nothing changes the contact of a record
grant update (contact_id) on events to funnel_gateway_tenant;
-- checked: of an earlier version nothing changes the contact of a record
grant update (contact_id) on audit_entries to funnel_gateway_tenant;
