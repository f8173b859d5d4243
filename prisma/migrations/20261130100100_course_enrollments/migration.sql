-- Enrollments of contacts in courses, and the lessons that they have completed, both within one course. A contact is enrolled once in a course, and
-- completes a lesson once.

-- CreateTable
CREATE SEQUENCE course_enrollments_id_seq;

CREATE TABLE "course_enrollments" (
    "id" BIGINT NOT NULL DEFAULT draw_id(103, 'course_enrollments_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(103, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "contact_id" BIGINT NOT NULL,
    "course_id" BIGINT NOT NULL,
    "suspended" BOOLEAN NOT NULL DEFAULT false,
    "suspension_reason" TEXT,
    "suspended_by_order" BOOLEAN NOT NULL DEFAULT false,
    "order_id" BIGINT,
    "completed_at" TIMESTAMPTZ(3),
    "was_completed" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "course_enrollments_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "course_enrollments_suspended_by_order_check" CHECK (suspended or not suspended_by_order),
    CONSTRAINT "course_enrollments_completed_at_check" CHECK (completed_at is null or was_completed)
);

ALTER SEQUENCE course_enrollments_id_seq OWNED BY course_enrollments.id;
-- checked: of a table that no version before has
call open_to_tenants('course_enrollments', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('course_enrollments', 103);

-- CreateTable
CREATE SEQUENCE course_lesson_completions_id_seq;

CREATE TABLE "course_lesson_completions" (
    "id" BIGINT NOT NULL DEFAULT draw_id(104, 'course_lesson_completions_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(104, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "course_id" BIGINT NOT NULL,
    "enrollment_id" BIGINT NOT NULL,
    "lesson_id" BIGINT NOT NULL,
    "completed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "course_lesson_completions_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE course_lesson_completions_id_seq OWNED BY course_lesson_completions.id;
-- checked: of a table that no version before has
call open_to_tenants('course_lesson_completions', 'select, insert, update, delete');

-- CreateIndex
CREATE INDEX "course_enrollments_id_idx" ON "course_enrollments" USING HASH ("id");

-- CreateIndex
CREATE INDEX "course_enrollments_workspace_id_course_id_updated_at_id_idx" ON "course_enrollments"("workspace_id", "course_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "course_enrollments_workspace_id_course_id_created_at_id_idx" ON "course_enrollments"("workspace_id", "course_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "course_enrollments_workspace_id_contact_id_id_idx" ON "course_enrollments"("workspace_id", "contact_id", "id");

-- CreateIndex
CREATE INDEX "course_enrollments_workspace_id_contact_id_updated_at_id_idx" ON "course_enrollments"("workspace_id", "contact_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "course_enrollments_workspace_id_order_id_idx" ON "course_enrollments"("workspace_id", "order_id");

-- CreateIndex
CREATE UNIQUE INDEX "course_enrollments_workspace_id_contact_id_key" ON "course_enrollments"("workspace_id", "course_id", "contact_id");

-- CreateIndex
CREATE UNIQUE INDEX "course_enrollments_workspace_id_course_id_id_key" ON "course_enrollments"("workspace_id", "course_id", "id");

-- CreateIndex
CREATE INDEX "course_lesson_completions_id_idx" ON "course_lesson_completions" USING HASH ("id");

-- CreateIndex
CREATE INDEX "course_lesson_completions_workspace_id_course_id_id_idx" ON "course_lesson_completions"("workspace_id", "course_id", "id");

-- CreateIndex
CREATE INDEX "course_lesson_completions_workspace_id_enrollment_id_id_idx" ON "course_lesson_completions"("workspace_id", "enrollment_id", "id");

-- CreateIndex
CREATE INDEX "course_lesson_completions_workspace_id_lesson_id_id_idx" ON "course_lesson_completions"("workspace_id", "lesson_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "course_lesson_completions_workspace_id_lesson_id_key" ON "course_lesson_completions"("workspace_id", "enrollment_id", "lesson_id");

-- AddForeignKey
ALTER TABLE "course_enrollments" ADD CONSTRAINT "course_enrollments_workspace_id_course_id_fkey" FOREIGN KEY ("workspace_id", "course_id") REFERENCES "courses"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "course_enrollments" ADD CONSTRAINT "course_enrollments_workspace_id_contact_id_fkey" FOREIGN KEY ("workspace_id", "contact_id") REFERENCES "contacts"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "course_enrollments" ADD CONSTRAINT "course_enrollments_workspace_id_order_id_fkey" FOREIGN KEY ("workspace_id", "order_id") REFERENCES "orders"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "course_lesson_completions" ADD CONSTRAINT "course_lesson_completions_workspace_id_course_id_fkey" FOREIGN KEY ("workspace_id", "course_id") REFERENCES "courses"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "course_lesson_completions" ADD CONSTRAINT "course_lesson_completions_workspace_id_enrollment_id_fkey" FOREIGN KEY ("workspace_id", "course_id", "enrollment_id") REFERENCES "course_enrollments"("workspace_id", "course_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "course_lesson_completions" ADD CONSTRAINT "course_lesson_completions_workspace_id_lesson_id_fkey" FOREIGN KEY ("workspace_id", "course_id", "lesson_id") REFERENCES "course_lessons"("workspace_id", "course_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;
