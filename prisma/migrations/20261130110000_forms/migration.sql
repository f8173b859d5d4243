-- Forms with their field sets, their fields in order, and the options of fields.

-- CreateTable
CREATE SEQUENCE forms_id_seq;

CREATE TABLE "forms" (
    "id" BIGINT NOT NULL DEFAULT draw_id(110, 'forms_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(110, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "forms_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE forms_id_seq OWNED BY forms.id;
-- checked: of a table that no version before has
call open_to_tenants('forms', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('forms', 110);

-- CreateTable
CREATE SEQUENCE form_field_sets_id_seq;

CREATE TABLE "form_field_sets" (
    "id" BIGINT NOT NULL DEFAULT draw_id(111, 'form_field_sets_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(111, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "form_id" BIGINT NOT NULL,
    "title" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "form_field_sets_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE form_field_sets_id_seq OWNED BY form_field_sets.id;
-- checked: of a table that no version before has
call open_to_tenants('form_field_sets', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('form_field_sets', 111);

-- CreateTable
CREATE SEQUENCE form_fields_id_seq;

CREATE TABLE "form_fields" (
    "id" BIGINT NOT NULL DEFAULT draw_id(112, 'form_fields_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(112, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "form_id" BIGINT NOT NULL,
    "field_set_id" BIGINT NOT NULL,
    "key" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "field_type" TEXT NOT NULL DEFAULT 'text',
    "allow_multiple" BOOLEAN NOT NULL DEFAULT false,
    "hidden" BOOLEAN NOT NULL DEFAULT false,
    "position" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "form_fields_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "form_fields_field_type_check" CHECK (field_type in ('text', 'textarea', 'email', 'phone', 'url', 'number', 'date', 'checkbox', 'select', 'radio'))
);

ALTER SEQUENCE form_fields_id_seq OWNED BY form_fields.id;
-- checked: of a table that no version before has
call open_to_tenants('form_fields', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('form_fields', 112);

-- CreateTable
CREATE SEQUENCE form_field_options_id_seq;

CREATE TABLE "form_field_options" (
    "id" BIGINT NOT NULL DEFAULT draw_id(113, 'form_field_options_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(113, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "field_id" BIGINT NOT NULL,
    "label" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "form_field_options_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE form_field_options_id_seq OWNED BY form_field_options.id;
-- checked: of a table that no version before has
call open_to_tenants('form_field_options', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('form_field_options', 113);

-- CreateIndex
CREATE INDEX "forms_id_idx" ON "forms" USING HASH ("id");

-- CreateIndex
CREATE INDEX "forms_workspace_id_updated_at_id_idx" ON "forms"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "form_field_sets_id_idx" ON "form_field_sets" USING HASH ("id");

-- CreateIndex
CREATE INDEX "form_field_sets_workspace_id_form_id_updated_at_id_idx" ON "form_field_sets"("workspace_id", "form_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "form_field_sets_workspace_id_form_id_id_key" ON "form_field_sets"("workspace_id", "form_id", "id");

-- CreateIndex
CREATE INDEX "form_fields_id_idx" ON "form_fields" USING HASH ("id");

-- CreateIndex
CREATE INDEX "form_fields_workspace_id_field_set_id_id_idx" ON "form_fields"("workspace_id", "field_set_id", "id");

-- CreateIndex
CREATE INDEX "form_fields_workspace_id_field_set_id_updated_at_id_idx" ON "form_fields"("workspace_id", "field_set_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "form_fields_workspace_id_field_set_id_position_idx" ON "form_fields"("workspace_id", "field_set_id", "position");

-- CreateIndex
CREATE UNIQUE INDEX "form_fields_workspace_id_form_id_id_key" ON "form_fields"("workspace_id", "form_id", "id");

-- CreateIndex
CREATE INDEX "form_field_options_id_idx" ON "form_field_options" USING HASH ("id");

-- CreateIndex
CREATE INDEX "form_field_options_workspace_id_field_id_id_idx" ON "form_field_options"("workspace_id", "field_id", "id");

-- CreateIndex
CREATE INDEX "form_field_options_workspace_id_field_id_updated_at_id_idx" ON "form_field_options"("workspace_id", "field_id", "updated_at", "id");

-- AddForeignKey
ALTER TABLE "forms" ADD CONSTRAINT "forms_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "form_field_sets" ADD CONSTRAINT "form_field_sets_workspace_id_form_id_fkey" FOREIGN KEY ("workspace_id", "form_id") REFERENCES "forms"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "form_fields" ADD CONSTRAINT "form_fields_field_set_id_fkey" FOREIGN KEY ("workspace_id", "form_id", "field_set_id") REFERENCES "form_field_sets"("workspace_id", "form_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "form_field_options" ADD CONSTRAINT "form_field_options_workspace_id_field_id_fkey" FOREIGN KEY ("workspace_id", "field_id") REFERENCES "form_fields"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
