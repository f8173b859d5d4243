-- Courses, their sections and lessons. A section may wait for another section, or for a lesson, of the same course.

-- CreateTable
CREATE SEQUENCE courses_id_seq;

CREATE TABLE "courses" (
    "id" BIGINT NOT NULL DEFAULT draw_id(100, 'courses_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(100, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "title" TEXT NOT NULL,
    "published_at" TIMESTAMPTZ(3),
    "description" TEXT NOT NULL DEFAULT '',
    "current_path" TEXT,
    "show_in_community" BOOLEAN NOT NULL DEFAULT false,
    "show_to_non_members" BOOLEAN NOT NULL DEFAULT false,
    "upgrade_url" TEXT,
    "redirect_to_full_course" BOOLEAN NOT NULL DEFAULT false,
    "unauthorized_redirect_url" TEXT,
    "comments_enabled" BOOLEAN NOT NULL DEFAULT false,
    "image_url" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "courses_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE courses_id_seq OWNED BY courses.id;
-- checked: of a table that no version before has
call open_to_tenants('courses', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('courses', 100);

-- CreateTable
CREATE SEQUENCE course_sections_id_seq;

CREATE TABLE "course_sections" (
    "id" BIGINT NOT NULL DEFAULT draw_id(101, 'course_sections_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(101, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "course_id" BIGINT NOT NULL,
    "title" TEXT NOT NULL,
    "published_at" TIMESTAMPTZ(3),
    "description" TEXT,
    "days_till_drip_access" INTEGER,
    "blocker_section_id" BIGINT,
    "blocker_lesson_id" BIGINT,
    "current_path" TEXT,
    "is_hidden_from_non_members" BOOLEAN NOT NULL DEFAULT false,
    "upgrade_url" TEXT,
    "position" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "course_sections_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "course_sections_days_till_drip_access_check" CHECK (days_till_drip_access >= 0),
    CONSTRAINT "course_sections_blocker_section_id_check" CHECK (blocker_section_id <> id)
);

ALTER SEQUENCE course_sections_id_seq OWNED BY course_sections.id;
-- checked: of a table that no version before has
call open_to_tenants('course_sections', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('course_sections', 101);

-- CreateTable
CREATE SEQUENCE course_lessons_id_seq;

CREATE TABLE "course_lessons" (
    "id" BIGINT NOT NULL DEFAULT draw_id(102, 'course_lessons_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(102, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "course_id" BIGINT NOT NULL,
    "section_id" BIGINT NOT NULL,
    "title" TEXT NOT NULL,
    "body" TEXT,
    "published_at" TIMESTAMPTZ(3),
    "current_path" TEXT,
    "position" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "course_lessons_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE course_lessons_id_seq OWNED BY course_lessons.id;
-- checked: of a table that no version before has
call open_to_tenants('course_lessons', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('course_lessons', 102);

-- CreateIndex
CREATE INDEX "courses_id_idx" ON "courses" USING HASH ("id");

-- CreateIndex
CREATE INDEX "courses_workspace_id_updated_at_id_idx" ON "courses"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "course_sections_id_idx" ON "course_sections" USING HASH ("id");

-- CreateIndex
CREATE INDEX "course_sections_workspace_id_course_id_updated_at_id_idx" ON "course_sections"("workspace_id", "course_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "course_sections_workspace_id_course_id_position_id_idx" ON "course_sections"("workspace_id", "course_id", "position", "id");

-- CreateIndex
CREATE INDEX "course_sections_workspace_id_blocker_section_id_idx" ON "course_sections"("workspace_id", "blocker_section_id");

-- CreateIndex
CREATE INDEX "course_sections_workspace_id_blocker_lesson_id_idx" ON "course_sections"("workspace_id", "blocker_lesson_id");

-- CreateIndex
CREATE UNIQUE INDEX "course_sections_workspace_id_course_id_id_key" ON "course_sections"("workspace_id", "course_id", "id");

-- CreateIndex
CREATE INDEX "course_lessons_id_idx" ON "course_lessons" USING HASH ("id");

-- CreateIndex
CREATE INDEX "course_lessons_workspace_id_section_id_id_idx" ON "course_lessons"("workspace_id", "section_id", "id");

-- CreateIndex
CREATE INDEX "course_lessons_workspace_id_section_id_updated_at_id_idx" ON "course_lessons"("workspace_id", "section_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "course_lessons_workspace_id_section_id_position_id_idx" ON "course_lessons"("workspace_id", "section_id", "position", "id");

-- CreateIndex
CREATE UNIQUE INDEX "course_lessons_workspace_id_course_id_id_key" ON "course_lessons"("workspace_id", "course_id", "id");

-- AddForeignKey
ALTER TABLE "courses" ADD CONSTRAINT "courses_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "course_sections" ADD CONSTRAINT "course_sections_workspace_id_course_id_fkey" FOREIGN KEY ("workspace_id", "course_id") REFERENCES "courses"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "course_sections" ADD CONSTRAINT "course_sections_workspace_id_blocker_section_id_fkey" FOREIGN KEY ("workspace_id", "course_id", "blocker_section_id") REFERENCES "course_sections"("workspace_id", "course_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION DEFERRABLE;

-- AddForeignKey
ALTER TABLE "course_sections" ADD CONSTRAINT "course_sections_workspace_id_blocker_lesson_id_fkey" FOREIGN KEY ("workspace_id", "course_id", "blocker_lesson_id") REFERENCES "course_lessons"("workspace_id", "course_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION DEFERRABLE;

-- AddForeignKey
ALTER TABLE "course_lessons" ADD CONSTRAINT "course_lessons_workspace_id_section_id_fkey" FOREIGN KEY ("workspace_id", "course_id", "section_id") REFERENCES "course_sections"("workspace_id", "course_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
