-- Pictures, which a worker fetches (src/jobs/images/), with their files in parts; and stores, which may show one.
-- CreateTable
CREATE SEQUENCE images_id_seq;

CREATE TABLE "images" (
    "id" BIGINT NOT NULL DEFAULT draw_id(23, 'images_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(23, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT,
    "alt_text" TEXT,
    "upload_source_url" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "fetch_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "file_token" TEXT NOT NULL DEFAULT replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''),
    "base_url" TEXT NOT NULL DEFAULT '',
    "error" TEXT,
    "width" INTEGER,
    "height" INTEGER,
    "byte_size" INTEGER,
    "content_type" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "images_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "images_upload_source_url_check" CHECK ("upload_source_url" ~ '^https?://\S+$'),
    CONSTRAINT "images_status_check" CHECK ("status" IN ('pending', 'ready', 'failed')),
    CONSTRAINT "images_error_check" CHECK (("error" IS NOT NULL) = ("status" = 'failed')),
    CONSTRAINT "images_file_of_ready" CHECK (
      num_nonnulls("width", "height", "byte_size", "content_type") = CASE WHEN "status" = 'ready' THEN 4 ELSE 0 END),
    CONSTRAINT "images_file_check" CHECK ("width" > 0 AND "height" > 0 AND "byte_size" > 0),
    CONSTRAINT "images_content_type_check"
      CHECK ("content_type" IN ('image/avif', 'image/gif', 'image/jpeg', 'image/png', 'image/webp'))
);

ALTER SEQUENCE images_id_seq OWNED BY images.id;
-- checked: of a table that no version before has
call open_to_tenants('images', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('images', 23);

-- CreateTable
CREATE TABLE "image_chunks" (
    "workspace_id" BIGINT NOT NULL,
    "image_id" BIGINT NOT NULL,
    "file_token" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "bytes" BYTEA NOT NULL,

    CONSTRAINT "image_chunks_pkey" PRIMARY KEY ("workspace_id","image_id","file_token","number"),
    CONSTRAINT "image_chunks_number_check" CHECK ("number" >= 0)
);
-- Callers read and write none of it: their changes of an image delete its parts by the foreign key.
-- checked: of a table that no version before has
call open_to_tenants('image_chunks', 'select');

-- CreateTable
CREATE SEQUENCE stores_id_seq;

CREATE TABLE "stores" (
    "id" BIGINT NOT NULL DEFAULT draw_id(24, 'stores_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(24, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "current_path" TEXT,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "seo_title" TEXT,
    "seo_description" TEXT,
    "seo_indexable" BOOLEAN,
    "social_image_id" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "stores_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "stores_name_check" CHECK ("name" ~ '\S'),
    CONSTRAINT "stores_status_check" CHECK ("status" IN ('draft', 'published'))
);

ALTER SEQUENCE stores_id_seq OWNED BY stores.id;
-- checked: of a table that no version before has
call open_to_tenants('stores', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('stores', 24);

-- CreateIndex
CREATE INDEX "images_id_idx" ON "images" USING HASH ("id");

-- CreateIndex
CREATE INDEX "images_workspace_id_updated_at_id_idx" ON "images"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "images_workspace_id_file_token_idx" ON "images"("workspace_id", "file_token");

-- What is left to fetch, by workspace: each has its turn.
CREATE INDEX "images_fetch_at_idx" ON "images" ("workspace_id", "fetch_at") WHERE "status" = 'pending';

-- CreateIndex
CREATE INDEX "stores_id_idx" ON "stores" USING HASH ("id");

-- CreateIndex
CREATE INDEX "stores_workspace_id_updated_at_id_idx" ON "stores"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "stores_workspace_id_social_image_id_idx" ON "stores"("workspace_id", "social_image_id");

-- AddForeignKey
ALTER TABLE "images" ADD CONSTRAINT "images_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "image_chunks" ADD CONSTRAINT "image_chunks_workspace_id_image_id_fkey" FOREIGN KEY ("workspace_id", "image_id") REFERENCES "images"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "stores" ADD CONSTRAINT "stores_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "stores" ADD CONSTRAINT "stores_workspace_id_social_image_id_fkey" FOREIGN KEY ("workspace_id", "social_image_id") REFERENCES "images"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- What products and their collections show.
-- checked: of a table that no version before has
CREATE INDEX "product_collections_workspace_id_image_id_idx" ON "product_collections"("workspace_id", "image_id");
-- checked: of a table that no version before has
CREATE INDEX "product_collections_workspace_id_social_image_id_idx" ON "product_collections"("workspace_id", "social_image_id");
-- checked: of a table that no version before has
CREATE INDEX "products_workspace_id_seo_image_id_idx" ON "products"("workspace_id", "seo_image_id");
-- checked: of a table that no version before has
ALTER TABLE "product_collections" ADD CONSTRAINT "product_collections_workspace_id_image_id_fkey" FOREIGN KEY ("workspace_id", "image_id") REFERENCES "images"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;
-- checked: of a table that no version before has
ALTER TABLE "product_collections" ADD CONSTRAINT "product_collections_workspace_id_social_image_id_fkey" FOREIGN KEY ("workspace_id", "social_image_id") REFERENCES "images"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;
-- checked: of a table that no version before has
ALTER TABLE "products" ADD CONSTRAINT "products_workspace_id_seo_image_id_fkey" FOREIGN KEY ("workspace_id", "seo_image_id") REFERENCES "images"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;
