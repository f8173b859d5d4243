-- Blogs with their posts, and the tags and categories of these.

-- CreateTable
CREATE SEQUENCE blogs_id_seq;

CREATE TABLE "blogs" (
    "id" BIGINT NOT NULL DEFAULT draw_id(140, 'blogs_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(140, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "current_path" TEXT NOT NULL,
    "theme_id" BIGINT,
    "seo_title" TEXT,
    "seo_description" TEXT,
    "seo_image_id" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "blogs_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE blogs_id_seq OWNED BY blogs.id;
-- checked: of a table that no version before has
call open_to_tenants('blogs', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('blogs', 140);

-- CreateTable
CREATE SEQUENCE blog_tags_id_seq;

CREATE TABLE "blog_tags" (
    "id" BIGINT NOT NULL DEFAULT draw_id(141, 'blog_tags_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(141, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "blog_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "blog_tags_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE blog_tags_id_seq OWNED BY blog_tags.id;
-- checked: of a table that no version before has
call open_to_tenants('blog_tags', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('blog_tags', 141);

-- CreateTable
CREATE SEQUENCE blog_categories_id_seq;

CREATE TABLE "blog_categories" (
    "id" BIGINT NOT NULL DEFAULT draw_id(142, 'blog_categories_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(142, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "blog_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "blog_categories_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE blog_categories_id_seq OWNED BY blog_categories.id;
-- checked: of a table that no version before has
call open_to_tenants('blog_categories', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('blog_categories', 142);

-- CreateTable
CREATE SEQUENCE blog_posts_id_seq;

CREATE TABLE "blog_posts" (
    "id" BIGINT NOT NULL DEFAULT draw_id(143, 'blog_posts_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(143, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "blog_id" BIGINT NOT NULL,
    "title" TEXT NOT NULL,
    "visibility" TEXT NOT NULL DEFAULT 'draft',
    "published_at" TIMESTAMPTZ(3),
    "was_published" BOOLEAN NOT NULL DEFAULT false,
    "current_path" TEXT NOT NULL,
    "excerpt_content" TEXT,
    "author_ids" BIGINT[] NOT NULL DEFAULT '{}',
    "authors" JSONB NOT NULL DEFAULT '[]',
    "category_ids" BIGINT[] NOT NULL DEFAULT '{}',
    "tag_ids" BIGINT[] NOT NULL DEFAULT '{}',
    "image_id" BIGINT,
    "seo_title" TEXT,
    "seo_description" TEXT,
    "markup" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "blog_posts_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "blog_posts_visibility_check" CHECK (visibility IN ('draft', 'scheduled', 'members_only', 'public'))
);

ALTER SEQUENCE blog_posts_id_seq OWNED BY blog_posts.id;
-- checked: of a table that no version before has
call open_to_tenants('blog_posts', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('blog_posts', 143);

-- CreateIndex
CREATE INDEX "blogs_id_idx" ON "blogs" USING HASH ("id");

-- CreateIndex
CREATE INDEX "blogs_workspace_id_updated_at_id_idx" ON "blogs"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "blogs_workspace_id_theme_id_idx" ON "blogs"("workspace_id", "theme_id");

-- CreateIndex
CREATE INDEX "blogs_workspace_id_seo_image_id_idx" ON "blogs"("workspace_id", "seo_image_id");

-- CreateIndex
CREATE INDEX "blog_tags_id_idx" ON "blog_tags" USING HASH ("id");

-- CreateIndex
CREATE INDEX "blog_tags_workspace_id_blog_id_id_idx" ON "blog_tags"("workspace_id", "blog_id", "id");

-- CreateIndex
CREATE INDEX "blog_tags_workspace_id_blog_id_updated_at_id_idx" ON "blog_tags"("workspace_id", "blog_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "blog_tags_workspace_id_blog_id_name_key" ON "blog_tags"("workspace_id", "blog_id", "name");

-- CreateIndex
CREATE INDEX "blog_categories_id_idx" ON "blog_categories" USING HASH ("id");

-- CreateIndex
CREATE INDEX "blog_categories_workspace_id_blog_id_id_idx" ON "blog_categories"("workspace_id", "blog_id", "id");

-- CreateIndex
CREATE INDEX "blog_categories_workspace_id_blog_id_updated_at_id_idx" ON "blog_categories"("workspace_id", "blog_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "blog_categories_workspace_id_blog_id_name_key" ON "blog_categories"("workspace_id", "blog_id", "name");

-- CreateIndex
CREATE INDEX "blog_posts_id_idx" ON "blog_posts" USING HASH ("id");

-- CreateIndex
CREATE INDEX "blog_posts_workspace_id_blog_id_id_idx" ON "blog_posts"("workspace_id", "blog_id", "id");

-- CreateIndex
CREATE INDEX "blog_posts_workspace_id_blog_id_created_at_id_idx" ON "blog_posts"("workspace_id", "blog_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "blog_posts_workspace_id_blog_id_updated_at_id_idx" ON "blog_posts"("workspace_id", "blog_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "blog_posts_workspace_id_blog_id_visibility_id_idx" ON "blog_posts"("workspace_id", "blog_id", "visibility", "id");

-- CreateIndex
CREATE INDEX "blog_posts_workspace_id_image_id_idx" ON "blog_posts"("workspace_id", "image_id");

-- CreateIndex
CREATE INDEX "blog_posts_tag_ids_idx" ON "blog_posts" USING GIN ("tag_ids");

-- CreateIndex
CREATE INDEX "blog_posts_category_ids_idx" ON "blog_posts" USING GIN ("category_ids");

-- CreateIndex
CREATE UNIQUE INDEX "blog_posts_workspace_id_blog_id_current_path_key" ON "blog_posts"("workspace_id", "blog_id", "current_path");

-- Posts without a time come first.
create index blog_posts_published_at_id_idx on blog_posts (workspace_id, blog_id, coalesce(published_at, '-infinity'), id);

-- The scheduled posts in the order of their times, for the job that publishes them.
create index blog_posts_scheduled_published_at_idx on blog_posts (published_at) where visibility = 'scheduled';

-- AddForeignKey
ALTER TABLE "blogs" ADD CONSTRAINT "blogs_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "blogs" ADD CONSTRAINT "blogs_workspace_id_theme_id_fkey" FOREIGN KEY ("workspace_id", "theme_id") REFERENCES "themes"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "blogs" ADD CONSTRAINT "blogs_workspace_id_seo_image_id_fkey" FOREIGN KEY ("workspace_id", "seo_image_id") REFERENCES "images"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "blog_tags" ADD CONSTRAINT "blog_tags_workspace_id_blog_id_fkey" FOREIGN KEY ("workspace_id", "blog_id") REFERENCES "blogs"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "blog_categories" ADD CONSTRAINT "blog_categories_workspace_id_blog_id_fkey" FOREIGN KEY ("workspace_id", "blog_id") REFERENCES "blogs"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "blog_posts" ADD CONSTRAINT "blog_posts_workspace_id_blog_id_fkey" FOREIGN KEY ("workspace_id", "blog_id") REFERENCES "blogs"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "blog_posts" ADD CONSTRAINT "blog_posts_workspace_id_image_id_fkey" FOREIGN KEY ("workspace_id", "image_id") REFERENCES "images"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;
