-- CreateTable
CREATE SEQUENCE product_collections_id_seq;

CREATE TABLE "product_collections" (
    "id" BIGINT NOT NULL DEFAULT draw_id(20, 'product_collections_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(20, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "collection_type" TEXT NOT NULL DEFAULT 'manual',
    "product_ids" BIGINT[] NOT NULL DEFAULT ARRAY[]::BIGINT[],
    "added_ids" BIGINT[] NOT NULL DEFAULT ARRAY[]::BIGINT[],
    "tag_ids" BIGINT[] NOT NULL DEFAULT ARRAY[]::BIGINT[],
    "sort_method" TEXT NOT NULL DEFAULT 'manually',
    "image_id" BIGINT,
    "visible_in_store" BOOLEAN NOT NULL DEFAULT false,
    "seo_title" TEXT,
    "seo_description" TEXT,
    "social_image_id" BIGINT,
    "archived_at" TIMESTAMPTZ(3),
    "archived" BOOLEAN NOT NULL GENERATED ALWAYS AS (archived_at is not null) STORED,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "product_collections_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "product_collections_name_check" CHECK (name ~ '\S'),
    CONSTRAINT "product_collections_product_ids_check" CHECK (array_position(product_ids, null) is null),
    CONSTRAINT "product_collections_tag_ids_check" CHECK (array_position(tag_ids, null) is null),
    CONSTRAINT "product_collections_collection_type_check" CHECK (collection_type in ('manual', 'automatic')),
    CONSTRAINT "product_collections_sort_method_check" CHECK (sort_method in ('manually', 'added_at_asc', 'added_at_desc', 'created_at_asc', 'created_at_desc', 'name_asc', 'name_desc',
        'price_asc', 'price_desc'))
);

ALTER SEQUENCE product_collections_id_seq OWNED BY product_collections.id;
-- checked: of a table that no version before has
call open_to_tenants('product_collections', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('product_collections', 20);

-- CreateTable
CREATE SEQUENCE product_prices_id_seq;

CREATE TABLE "product_prices" (
    "id" BIGINT NOT NULL DEFAULT draw_id(19, 'product_prices_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(19, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "product_id" BIGINT NOT NULL,
    "variant_id" BIGINT NOT NULL,
    "name" TEXT,
    "key" TEXT,
    "payment_type" TEXT NOT NULL DEFAULT 'one_time',
    "amount" DECIMAL NOT NULL,
    "currency" TEXT NOT NULL,
    "duration" INTEGER NOT NULL DEFAULT 0,
    "interval" TEXT NOT NULL DEFAULT 'month',
    "interval_count" INTEGER NOT NULL DEFAULT 1,
    "trial_amount" DECIMAL NOT NULL DEFAULT 0,
    "trial_duration" INTEGER NOT NULL DEFAULT 0,
    "trial_interval" TEXT NOT NULL DEFAULT 'day',
    "setup_amount" DECIMAL,
    "compare_at_amount" DECIMAL,
    "cost" DECIMAL,
    "self_cancel" BOOLEAN NOT NULL DEFAULT false,
    "self_upgrade" BOOLEAN NOT NULL DEFAULT false,
    "self_downgrade" BOOLEAN NOT NULL DEFAULT false,
    "self_reactivate" BOOLEAN NOT NULL DEFAULT false,
    "visible" BOOLEAN NOT NULL DEFAULT true,
    "archived_at" TIMESTAMPTZ(3),
    "archived" BOOLEAN NOT NULL GENERATED ALWAYS AS (archived_at is not null) STORED,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "product_prices_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "product_prices_payment_type_check" CHECK (payment_type in ('one_time', 'subscription', 'payment_plan')),
    CONSTRAINT "product_prices_currency_check" CHECK (currency ~ '^[A-Z]{3}$'),
    CONSTRAINT "product_prices_amount_check" CHECK (amount >= 0),
    CONSTRAINT "product_prices_trial_amount_check" CHECK (trial_amount >= 0),
    CONSTRAINT "product_prices_setup_amount_check" CHECK (setup_amount >= 0),
    CONSTRAINT "product_prices_compare_at_amount_check" CHECK (compare_at_amount >= 0),
    CONSTRAINT "product_prices_cost_check" CHECK (cost >= 0),
    CONSTRAINT "product_prices_duration_check" CHECK (duration >= 0 and (duration >= 1 or payment_type <> 'payment_plan')),
    CONSTRAINT "product_prices_interval_check" CHECK (interval in ('day', 'week', 'month', 'year')),
    CONSTRAINT "product_prices_interval_count_check" CHECK (interval_count >= 1),
    CONSTRAINT "product_prices_trial_duration_check" CHECK (trial_duration >= 0),
    CONSTRAINT "product_prices_trial_interval_check" CHECK (trial_interval in ('day', 'week', 'month', 'year'))
);

ALTER SEQUENCE product_prices_id_seq OWNED BY product_prices.id;
-- checked: of a table that no version before has
call open_to_tenants('product_prices', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('product_prices', 19);

-- CreateTable
CREATE SEQUENCE product_tags_id_seq;

CREATE TABLE "product_tags" (
    "id" BIGINT NOT NULL DEFAULT draw_id(21, 'product_tags_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(21, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "color" TEXT NOT NULL DEFAULT '#888888',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "product_tags_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "product_tags_name_check" CHECK (name ~ '\S'),
    CONSTRAINT "product_tags_color_check" CHECK (color ~* '^#[0-9a-f]{6}$')
);

ALTER SEQUENCE product_tags_id_seq OWNED BY product_tags.id;
-- checked: of a table that no version before has
call open_to_tenants('product_tags', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('product_tags', 21);

-- CreateTable
CREATE SEQUENCE product_variants_id_seq;

CREATE TABLE "product_variants" (
    "id" BIGINT NOT NULL DEFAULT draw_id(18, 'product_variants_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(18, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "product_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "sku" TEXT,
    "product_type" TEXT NOT NULL DEFAULT 'physical',
    "is_default" BOOLEAN NOT NULL DEFAULT false,
    "properties_values" JSONB NOT NULL DEFAULT '[]',
    "out_of_stock_sales" BOOLEAN NOT NULL DEFAULT false,
    "weight" DECIMAL,
    "weight_unit" TEXT NOT NULL DEFAULT 'kg',
    "height" DECIMAL,
    "width" DECIMAL,
    "length" DECIMAL,
    "dimensions_unit" TEXT,
    "quantity" INTEGER,
    "track_quantity" BOOLEAN NOT NULL DEFAULT false,
    "tax_category_id" TEXT,
    "taxable" TEXT,
    "visible" BOOLEAN NOT NULL DEFAULT true,
    "fulfillment_required" BOOLEAN NOT NULL DEFAULT true,
    "country_of_manufacture_id" TEXT,
    "image_ids" BIGINT[] NOT NULL DEFAULT ARRAY[]::BIGINT[],
    "fulfillments_location_ids" BIGINT[] NOT NULL DEFAULT ARRAY[]::BIGINT[],
    "archived_at" TIMESTAMPTZ(3),
    "archived" BOOLEAN NOT NULL GENERATED ALWAYS AS (archived_at is not null) STORED,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "product_variants_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "product_variants_name_check" CHECK (name ~ '\S'),
    CONSTRAINT "product_variants_image_ids_check" CHECK (array_position(image_ids, null) is null),
    CONSTRAINT "product_variants_fulfillments_location_ids_check" CHECK (array_position(fulfillments_location_ids, null) is null),
    CONSTRAINT "product_variants_quantity_check" CHECK (quantity >= 0),
    CONSTRAINT "product_variants_weight_check" CHECK (weight >= 0),
    CONSTRAINT "product_variants_height_check" CHECK (height >= 0),
    CONSTRAINT "product_variants_width_check" CHECK (width >= 0),
    CONSTRAINT "product_variants_length_check" CHECK (length >= 0),
    CONSTRAINT "product_variants_properties_values_check" CHECK (jsonb_typeof(properties_values) = 'array')
);

ALTER SEQUENCE product_variants_id_seq OWNED BY product_variants.id;
-- checked: of a table that no version before has
call open_to_tenants('product_variants', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('product_variants', 18);

-- CreateTable
CREATE SEQUENCE products_id_seq;

CREATE TABLE "products" (
    "id" BIGINT NOT NULL DEFAULT draw_id(17, 'products_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(17, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "current_path" TEXT,
    "visible_in_store" BOOLEAN NOT NULL DEFAULT false,
    "visible_in_customer_center" BOOLEAN NOT NULL DEFAULT false,
    "seo_title" TEXT,
    "seo_description" TEXT,
    "seo_image_id" BIGINT,
    "commissionable" BOOLEAN NOT NULL DEFAULT false,
    "image_ids" BIGINT[] NOT NULL DEFAULT ARRAY[]::BIGINT[],
    "tag_ids" BIGINT[] NOT NULL DEFAULT ARRAY[]::BIGINT[],
    "redirect_funnel_id" BIGINT,
    "cancellation_funnel_url" TEXT,
    "archived_at" TIMESTAMPTZ(3),
    "archived" BOOLEAN NOT NULL GENERATED ALWAYS AS (archived_at is not null) STORED,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "products_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "products_name_check" CHECK (name ~ '\S'),
    CONSTRAINT "products_image_ids_check" CHECK (array_position(image_ids, null) is null),
    CONSTRAINT "products_tag_ids_check" CHECK (array_position(tag_ids, null) is null)
);

ALTER SEQUENCE products_id_seq OWNED BY products.id;
-- checked: of a table that no version before has
call open_to_tenants('products', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('products', 17);

-- CreateTable
CREATE SEQUENCE variant_properties_id_seq;

CREATE TABLE "variant_properties" (
    "id" BIGINT NOT NULL DEFAULT draw_id(22, 'variant_properties_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(22, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "product_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "variant_properties_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "variant_properties_name_check" CHECK (name ~ '\S')
);

ALTER SEQUENCE variant_properties_id_seq OWNED BY variant_properties.id;
-- checked: of a table that no version before has
call open_to_tenants('variant_properties', 'select, insert, update, delete');

-- CreateIndex
CREATE INDEX "product_collections_id_idx" ON "product_collections" USING HASH ("id");

-- CreateIndex
CREATE INDEX "product_collections_workspace_id_updated_at_id_idx" ON "product_collections"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "product_collections_workspace_id_archived_id_idx" ON "product_collections"("workspace_id", "archived", "id");

-- CreateIndex
CREATE INDEX "product_collections_workspace_id_archived_updated_at_id_idx" ON "product_collections"("workspace_id", "archived", "updated_at", "id");

-- CreateIndex
CREATE INDEX "product_collections_visible_in_store_id_idx" ON "product_collections"("workspace_id", "visible_in_store", "id");

-- CreateIndex
CREATE INDEX "product_collections_visible_in_store_updated_at_id_idx" ON "product_collections"("workspace_id", "visible_in_store", "updated_at", "id");

-- CreateIndex
CREATE INDEX "product_prices_id_idx" ON "product_prices" USING HASH ("id");

-- CreateIndex
CREATE INDEX "product_prices_workspace_id_variant_id_id_idx" ON "product_prices"("workspace_id", "variant_id", "id");

-- CreateIndex
CREATE INDEX "product_prices_workspace_id_variant_id_updated_at_id_idx" ON "product_prices"("workspace_id", "variant_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "product_prices_workspace_id_variant_id_archived_id_idx" ON "product_prices"("workspace_id", "variant_id", "archived", "id");

-- CreateIndex
CREATE INDEX "product_prices_workspace_id_variant_id_archived_updated_at__idx" ON "product_prices"("workspace_id", "variant_id", "archived", "updated_at", "id");

-- CreateIndex
CREATE INDEX "product_prices_workspace_id_variant_id_visible_id_idx" ON "product_prices"("workspace_id", "variant_id", "visible", "id");

-- CreateIndex
CREATE INDEX "product_prices_workspace_id_variant_id_visible_updated_at_i_idx" ON "product_prices"("workspace_id", "variant_id", "visible", "updated_at", "id");

-- CreateIndex
CREATE INDEX "product_prices_workspace_id_product_id_id_idx" ON "product_prices"("workspace_id", "product_id", "id");

-- CreateIndex
CREATE INDEX "product_prices_workspace_id_product_id_updated_at_id_idx" ON "product_prices"("workspace_id", "product_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "product_prices_workspace_id_product_id_variant_id_id_idx" ON "product_prices"("workspace_id", "product_id", "variant_id", "id");

-- CreateIndex
CREATE INDEX "product_prices_workspace_id_product_id_variant_id_updated_a_idx" ON "product_prices"("workspace_id", "product_id", "variant_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "product_prices_workspace_id_product_id_archived_id_idx" ON "product_prices"("workspace_id", "product_id", "archived", "id");

-- CreateIndex
CREATE INDEX "product_prices_workspace_id_product_id_archived_updated_at__idx" ON "product_prices"("workspace_id", "product_id", "archived", "updated_at", "id");

-- CreateIndex
CREATE INDEX "product_prices_workspace_id_product_id_visible_id_idx" ON "product_prices"("workspace_id", "product_id", "visible", "id");

-- CreateIndex
CREATE INDEX "product_prices_workspace_id_product_id_visible_updated_at_i_idx" ON "product_prices"("workspace_id", "product_id", "visible", "updated_at", "id");

-- CreateIndex
CREATE INDEX "product_tags_id_idx" ON "product_tags" USING HASH ("id");

-- CreateIndex
CREATE INDEX "product_tags_workspace_id_updated_at_id_idx" ON "product_tags"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "product_tags_workspace_id_name_key" ON "product_tags"("workspace_id", "name");

-- CreateIndex
CREATE INDEX "product_variants_id_idx" ON "product_variants" USING HASH ("id");

-- CreateIndex
CREATE INDEX "product_variants_workspace_id_product_id_updated_at_id_idx" ON "product_variants"("workspace_id", "product_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "product_variants_workspace_id_product_id_archived_id_idx" ON "product_variants"("workspace_id", "product_id", "archived", "id");

-- CreateIndex
CREATE INDEX "product_variants_workspace_id_product_id_archived_updated_a_idx" ON "product_variants"("workspace_id", "product_id", "archived", "updated_at", "id");

-- CreateIndex
CREATE INDEX "product_variants_workspace_id_product_id_visible_id_idx" ON "product_variants"("workspace_id", "product_id", "visible", "id");

-- CreateIndex
CREATE INDEX "product_variants_workspace_id_product_id_visible_updated_at_idx" ON "product_variants"("workspace_id", "product_id", "visible", "updated_at", "id");

-- CreateIndex
CREATE INDEX "product_variants_fulfillment_required_id_idx" ON "product_variants"("workspace_id", "product_id", "fulfillment_required", "id");

-- CreateIndex
CREATE INDEX "product_variants_fulfillment_required_updated_at_id_idx" ON "product_variants"("workspace_id", "product_id", "fulfillment_required", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "product_variants_workspace_id_product_id_id_key" ON "product_variants"("workspace_id", "product_id", "id");

-- At most one; that there is one is the rule of the transaction that makes a product.
CREATE UNIQUE INDEX "product_variants_one_default" ON "product_variants"("workspace_id", "product_id") WHERE is_default;

-- CreateIndex
CREATE INDEX "products_id_idx" ON "products" USING HASH ("id");

-- CreateIndex
CREATE INDEX "products_workspace_id_updated_at_id_idx" ON "products"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "products_workspace_id_archived_id_idx" ON "products"("workspace_id", "archived", "id");

-- CreateIndex
CREATE INDEX "products_workspace_id_archived_updated_at_id_idx" ON "products"("workspace_id", "archived", "updated_at", "id");

-- CreateIndex
CREATE INDEX "products_workspace_id_visible_in_store_id_idx" ON "products"("workspace_id", "visible_in_store", "id");

-- CreateIndex
CREATE INDEX "products_workspace_id_visible_in_store_updated_at_id_idx" ON "products"("workspace_id", "visible_in_store", "updated_at", "id");

-- CreateIndex
CREATE INDEX "products_visible_in_customer_center_id_idx" ON "products"("workspace_id", "visible_in_customer_center", "id");

-- CreateIndex
CREATE INDEX "products_visible_in_customer_center_updated_at_id_idx" ON "products"("workspace_id", "visible_in_customer_center", "updated_at", "id");

-- CreateIndex
CREATE INDEX "products_workspace_id_redirect_funnel_id_idx" ON "products"("workspace_id", "redirect_funnel_id");

-- CreateIndex
CREATE INDEX "products_tag_ids_idx" ON "products" USING GIN ("tag_ids");

-- CreateIndex
CREATE INDEX "variant_properties_id_idx" ON "variant_properties" USING HASH ("id");

-- CreateIndex
CREATE INDEX "variant_properties_workspace_id_product_id_id_idx" ON "variant_properties"("workspace_id", "product_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "variant_properties_name_key" ON "variant_properties"("workspace_id", "product_id", "name");

-- AddForeignKey
ALTER TABLE "product_collections" ADD CONSTRAINT "product_collections_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "product_prices" ADD CONSTRAINT "product_prices_workspace_id_product_id_fkey" FOREIGN KEY ("workspace_id", "product_id") REFERENCES "products"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "product_prices" ADD CONSTRAINT "product_prices_workspace_id_product_id_variant_id_fkey" FOREIGN KEY ("workspace_id", "product_id", "variant_id") REFERENCES "product_variants"("workspace_id", "product_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "product_tags" ADD CONSTRAINT "product_tags_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "product_variants" ADD CONSTRAINT "product_variants_workspace_id_product_id_fkey" FOREIGN KEY ("workspace_id", "product_id") REFERENCES "products"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "products" ADD CONSTRAINT "products_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "products" ADD CONSTRAINT "products_workspace_id_redirect_funnel_id_fkey" FOREIGN KEY ("workspace_id", "redirect_funnel_id") REFERENCES "funnels"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "variant_properties" ADD CONSTRAINT "variant_properties_workspace_id_product_id_fkey" FOREIGN KEY ("workspace_id", "product_id") REFERENCES "products"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
