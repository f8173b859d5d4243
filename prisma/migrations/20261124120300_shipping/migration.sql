-- Locations that goods are shipped from, and shipping: packages, profiles with their location groups, zones, rates and their names.

-- CreateTable
CREATE SEQUENCE fulfillment_locations_id_seq;

CREATE TABLE "fulfillment_locations" (
    "id" BIGINT NOT NULL DEFAULT draw_id(33, 'fulfillment_locations_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(33, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "address_name" TEXT NOT NULL,
    "address" JSONB NOT NULL DEFAULT '{}',
    "email_address" TEXT NOT NULL,
    "phone_number" TEXT,
    "external_app" BOOLEAN,
    "archived_at" TIMESTAMPTZ(3),
    "archived" BOOLEAN NOT NULL GENERATED ALWAYS AS (archived_at is not null) STORED,
    "sort_order" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "fulfillment_locations_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "fulfillment_locations_address_check" CHECK (jsonb_typeof(address) = 'object')
);

ALTER SEQUENCE fulfillment_locations_id_seq OWNED BY fulfillment_locations.id;
-- checked: of a table that no version before has
call open_to_tenants('fulfillment_locations', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('fulfillment_locations', 33);

-- CreateTable
CREATE SEQUENCE shipping_packages_id_seq;

CREATE TABLE "shipping_packages" (
    "id" BIGINT NOT NULL DEFAULT draw_id(36, 'shipping_packages_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(36, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "package_type" TEXT NOT NULL,
    "carrier" TEXT,
    "distance_unit" TEXT NOT NULL,
    "length" DECIMAL NOT NULL,
    "width" DECIMAL NOT NULL,
    "height" DECIMAL NOT NULL,
    "weight" DECIMAL,
    "weight_unit" TEXT,
    "empty_weight" DECIMAL,
    "default_package" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "shipping_packages_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "shipping_packages_package_type_check" CHECK (package_type in ('box', 'envelope', 'soft_package')),
    CONSTRAINT "shipping_packages_carrier_check" CHECK (carrier in ('fedex', 'ups', 'usps')),
    CONSTRAINT "shipping_packages_distance_unit_check" CHECK (distance_unit in ('cm', 'ft', 'in', 'm', 'mm')),
    CONSTRAINT "shipping_packages_length_check" CHECK (length > 0),
    CONSTRAINT "shipping_packages_width_check" CHECK (width > 0),
    CONSTRAINT "shipping_packages_height_check" CHECK (height > 0),
    CONSTRAINT "shipping_packages_weight_check" CHECK (weight >= 0),
    CONSTRAINT "shipping_packages_weight_unit_check" CHECK (weight_unit in ('g', 'kg', 'lb', 'oz')),
    CONSTRAINT "shipping_packages_empty_weight_check" CHECK (empty_weight >= 0)
);

ALTER SEQUENCE shipping_packages_id_seq OWNED BY shipping_packages.id;
-- checked: of a table that no version before has
call open_to_tenants('shipping_packages', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('shipping_packages', 36);

-- CreateTable
CREATE SEQUENCE shipping_profiles_id_seq;

CREATE TABLE "shipping_profiles" (
    "id" BIGINT NOT NULL DEFAULT draw_id(37, 'shipping_profiles_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(37, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "variant_ids" BIGINT[] NOT NULL DEFAULT ARRAY[]::BIGINT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "shipping_profiles_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "shipping_profiles_variant_ids_check" CHECK (array_position(variant_ids, null) is null)
);

ALTER SEQUENCE shipping_profiles_id_seq OWNED BY shipping_profiles.id;
-- checked: of a table that no version before has
call open_to_tenants('shipping_profiles', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('shipping_profiles', 37);

-- CreateTable
CREATE SEQUENCE shipping_location_groups_id_seq;

CREATE TABLE "shipping_location_groups" (
    "id" BIGINT NOT NULL DEFAULT draw_id(38, 'shipping_location_groups_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(38, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "profile_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL DEFAULT 'All locations',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "shipping_location_groups_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE shipping_location_groups_id_seq OWNED BY shipping_location_groups.id;
-- checked: of a table that no version before has
call open_to_tenants('shipping_location_groups', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('shipping_location_groups', 38);

-- CreateTable
CREATE SEQUENCE shipping_zones_id_seq;

CREATE TABLE "shipping_zones" (
    "id" BIGINT NOT NULL DEFAULT draw_id(39, 'shipping_zones_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(39, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "location_group_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "country_ids" TEXT[],
    "region_ids" TEXT[],
    "includes_rest_of_world" BOOLEAN NOT NULL DEFAULT false,
    "address_filter_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "shipping_zones_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "shipping_zones_country_ids_check" CHECK (all_match(country_ids, '^.{1,100}$')),
    CONSTRAINT "shipping_zones_region_ids_check" CHECK (all_match(region_ids, '^.{1,100}$'))
);

ALTER SEQUENCE shipping_zones_id_seq OWNED BY shipping_zones.id;
-- checked: of a table that no version before has
call open_to_tenants('shipping_zones', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('shipping_zones', 39);

-- CreateTable
CREATE SEQUENCE shipping_rates_id_seq;

CREATE TABLE "shipping_rates" (
    "id" BIGINT NOT NULL DEFAULT draw_id(40, 'shipping_rates_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(40, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "zone_id" BIGINT NOT NULL,
    "rates_name_id" BIGINT NOT NULL,
    "description" TEXT,
    "price" DECIMAL NOT NULL,
    "price_currency" TEXT NOT NULL DEFAULT 'USD',
    "provider_name" TEXT,
    "live_rates_provider" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "shipping_rates_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "shipping_rates_price_check" CHECK (price >= 0),
    CONSTRAINT "shipping_rates_price_currency_check" CHECK (price_currency ~ '^[A-Z]{3}$'),
    CONSTRAINT "shipping_rates_live_rates_provider_check" CHECK (live_rates_provider = 'Shippo')
);

ALTER SEQUENCE shipping_rates_id_seq OWNED BY shipping_rates.id;
-- checked: of a table that no version before has
call open_to_tenants('shipping_rates', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('shipping_rates', 40);

-- CreateTable
CREATE SEQUENCE shipping_rate_names_id_seq;

CREATE TABLE "shipping_rate_names" (
    "id" BIGINT NOT NULL DEFAULT draw_id(41, 'shipping_rate_names_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(41, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "shipping_rate_names_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE shipping_rate_names_id_seq OWNED BY shipping_rate_names.id;
-- checked: of a table that no version before has
call open_to_tenants('shipping_rate_names', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('shipping_rate_names', 41);

-- CreateIndex
CREATE INDEX "fulfillment_locations_id_idx" ON "fulfillment_locations" USING HASH ("id");

-- CreateIndex
CREATE INDEX "fulfillment_locations_workspace_id_updated_at_id_idx" ON "fulfillment_locations"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "shipping_packages_id_idx" ON "shipping_packages" USING HASH ("id");

-- CreateIndex
CREATE INDEX "shipping_packages_workspace_id_updated_at_id_idx" ON "shipping_packages"("workspace_id", "updated_at", "id");

-- One default package in a workspace.
CREATE UNIQUE INDEX "shipping_packages_default_package_key" ON "shipping_packages"("workspace_id") WHERE default_package;

-- CreateIndex
CREATE INDEX "shipping_profiles_id_idx" ON "shipping_profiles" USING HASH ("id");

-- CreateIndex
CREATE INDEX "shipping_profiles_workspace_id_updated_at_id_idx" ON "shipping_profiles"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "shipping_location_groups_id_idx" ON "shipping_location_groups" USING HASH ("id");

-- CreateIndex
CREATE INDEX "shipping_location_groups_workspace_id_profile_id_id_idx" ON "shipping_location_groups"("workspace_id", "profile_id", "id");

-- CreateIndex
CREATE INDEX "shipping_location_groups_workspace_id_profile_id_updated_at_idx" ON "shipping_location_groups"("workspace_id", "profile_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "shipping_zones_id_idx" ON "shipping_zones" USING HASH ("id");

-- CreateIndex
CREATE INDEX "shipping_zones_workspace_id_location_group_id_id_idx" ON "shipping_zones"("workspace_id", "location_group_id", "id");

-- CreateIndex
CREATE INDEX "shipping_zones_workspace_id_location_group_id_updated_at_id_idx" ON "shipping_zones"("workspace_id", "location_group_id", "updated_at", "id");

-- One zone of a location group for the rest of the world.
CREATE UNIQUE INDEX "shipping_zones_includes_rest_of_world_key" ON "shipping_zones"("workspace_id", "location_group_id") WHERE includes_rest_of_world;

-- CreateIndex
CREATE INDEX "shipping_rates_workspace_id_rates_name_id_id_idx" ON "shipping_rates"("workspace_id", "rates_name_id", "id");

-- CreateIndex
CREATE INDEX "shipping_rates_id_idx" ON "shipping_rates" USING HASH ("id");

-- CreateIndex
CREATE INDEX "shipping_rates_workspace_id_zone_id_id_idx" ON "shipping_rates"("workspace_id", "zone_id", "id");

-- CreateIndex
CREATE INDEX "shipping_rates_workspace_id_zone_id_updated_at_id_idx" ON "shipping_rates"("workspace_id", "zone_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "shipping_rate_names_id_idx" ON "shipping_rate_names" USING HASH ("id");

-- CreateIndex
CREATE INDEX "shipping_rate_names_workspace_id_updated_at_id_idx" ON "shipping_rate_names"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "shipping_rate_names_workspace_id_name_key" ON "shipping_rate_names"("workspace_id", "name");

-- AddForeignKey
ALTER TABLE "fulfillment_locations" ADD CONSTRAINT "fulfillment_locations_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "shipping_packages" ADD CONSTRAINT "shipping_packages_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "shipping_profiles" ADD CONSTRAINT "shipping_profiles_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "shipping_location_groups" ADD CONSTRAINT "shipping_location_groups_workspace_id_profile_id_fkey" FOREIGN KEY ("workspace_id", "profile_id") REFERENCES "shipping_profiles"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "shipping_zones" ADD CONSTRAINT "shipping_zones_workspace_id_location_group_id_fkey" FOREIGN KEY ("workspace_id", "location_group_id") REFERENCES "shipping_location_groups"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "shipping_rates" ADD CONSTRAINT "shipping_rates_workspace_id_zone_id_fkey" FOREIGN KEY ("workspace_id", "zone_id") REFERENCES "shipping_zones"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "shipping_rates" ADD CONSTRAINT "shipping_rates_workspace_id_rates_name_id_fkey" FOREIGN KEY ("workspace_id", "rates_name_id") REFERENCES "shipping_rate_names"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "shipping_rate_names" ADD CONSTRAINT "shipping_rate_names_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;
