-- CreateEnum
CREATE TYPE "step_kind" AS ENUM ('page', 'conditional_split');

-- CreateEnum
CREATE TYPE "branch" AS ENUM ('matched', 'unmatched');

-- CreateTable
CREATE TABLE "teams" (
    "id" BIGSERIAL NOT NULL,
    "public_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "subdomain" TEXT,
    "time_zone" TEXT NOT NULL DEFAULT 'UTC',
    "locale" TEXT NOT NULL DEFAULT 'en',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "teams_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workspaces" (
    "id" BIGSERIAL NOT NULL,
    "public_id" TEXT NOT NULL,
    "team_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "subdomain" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workspaces_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "custom_domains" (
    "id" BIGSERIAL NOT NULL,
    "workspace_id" BIGINT NOT NULL,
    "host" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "custom_domains_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "contacts" (
    "id" BIGSERIAL NOT NULL,
    "public_id" TEXT NOT NULL,
    "workspace_id" BIGINT NOT NULL,
    "uuid" UUID NOT NULL DEFAULT gen_random_uuid(),
    "anonymous" BOOLEAN NOT NULL DEFAULT false,
    "email_address" TEXT,
    "first_name" TEXT,
    "last_name" TEXT,
    "phone_number" TEXT,
    "time_zone" TEXT,
    "unsubscribed_at" TIMESTAMPTZ(3),
    "last_notification_email_sent_at" TIMESTAMPTZ(3),
    "email_suppression_reason" TEXT,
    "fb_url" TEXT,
    "twitter_url" TEXT,
    "instagram_url" TEXT,
    "linkedin_url" TEXT,
    "website_url" TEXT,
    "custom_attributes" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "contacts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tags" (
    "id" BIGSERIAL NOT NULL,
    "public_id" TEXT NOT NULL,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "color" TEXT NOT NULL DEFAULT '#888888',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tags_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "contact_tags" (
    "workspace_id" BIGINT NOT NULL,
    "contact_id" BIGINT NOT NULL,
    "tag_id" BIGINT NOT NULL,
    "applied_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "contact_tags_pkey" PRIMARY KEY ("contact_id","tag_id")
);

-- CreateTable
CREATE TABLE "funnel_tags" (
    "workspace_id" BIGINT NOT NULL,
    "funnel_id" BIGINT NOT NULL,
    "tag_id" BIGINT NOT NULL,
    "applied_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "funnel_tags_pkey" PRIMARY KEY ("funnel_id","tag_id")
);

-- CreateTable
CREATE TABLE "refine_filters" (
    "id" BIGSERIAL NOT NULL,
    "public_id" TEXT NOT NULL,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "filter_class" TEXT NOT NULL DEFAULT 'ContactsFilter',
    "conjunction" TEXT NOT NULL DEFAULT 'and',
    "criteria" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "refine_filters_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_endpoints" (
    "id" BIGSERIAL NOT NULL,
    "public_id" TEXT NOT NULL,
    "workspace_id" BIGINT NOT NULL,
    "url" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "event_type_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "api_version" INTEGER NOT NULL DEFAULT 2,
    "page_ids" BIGINT[] DEFAULT ARRAY[]::BIGINT[],
    "funnel_ids" BIGINT[] DEFAULT ARRAY[]::BIGINT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "funnels" (
    "id" BIGSERIAL NOT NULL,
    "public_id" TEXT NOT NULL,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "archived" BOOLEAN NOT NULL DEFAULT false,
    "current_path" TEXT NOT NULL,
    "live_mode" BOOLEAN NOT NULL DEFAULT false,
    "custom_domain_id" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "funnels_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "pages" (
    "id" BIGSERIAL NOT NULL,
    "public_id" TEXT NOT NULL,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "current_path" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "discarded_at" TIMESTAMPTZ(3),
    "discard_reason" TEXT,

    CONSTRAINT "pages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "funnel_steps" (
    "id" BIGSERIAL NOT NULL,
    "public_id" TEXT NOT NULL,
    "workspace_id" BIGINT NOT NULL,
    "funnel_id" BIGINT NOT NULL,
    "kind" "step_kind" NOT NULL,
    "parent_id" BIGINT,
    "branch" "branch",
    "position" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "page_id" BIGINT,
    "filter_id" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "removed_at" TIMESTAMPTZ(3),
    "removal_reason" TEXT,

    CONSTRAINT "funnel_steps_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" BIGSERIAL NOT NULL,
    "public_id" TEXT NOT NULL,
    "team_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "is_default" BOOLEAN NOT NULL DEFAULT false,
    "token_hash" BYTEA NOT NULL,
    "hint" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "teams_public_id_key" ON "teams"("public_id");

-- CreateIndex
CREATE UNIQUE INDEX "teams_subdomain_key" ON "teams"("subdomain");

-- CreateIndex
CREATE UNIQUE INDEX "workspaces_public_id_key" ON "workspaces"("public_id");

-- CreateIndex
CREATE UNIQUE INDEX "workspaces_subdomain_key" ON "workspaces"("subdomain");

-- CreateIndex
CREATE INDEX "workspaces_team_id_id_idx" ON "workspaces"("team_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "custom_domains_host_key" ON "custom_domains"("host");

-- CreateIndex
CREATE UNIQUE INDEX "custom_domains_workspace_id_id_key" ON "custom_domains"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "contacts_public_id_key" ON "contacts"("public_id");

-- CreateIndex
CREATE UNIQUE INDEX "contacts_uuid_key" ON "contacts"("uuid");

-- CreateIndex
CREATE UNIQUE INDEX "contacts_workspace_id_id_key" ON "contacts"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "tags_public_id_key" ON "tags"("public_id");

-- CreateIndex
CREATE UNIQUE INDEX "tags_workspace_id_name_key" ON "tags"("workspace_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "tags_workspace_id_id_key" ON "tags"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "contact_tags_tag_id_idx" ON "contact_tags"("tag_id");

-- CreateIndex
CREATE INDEX "funnel_tags_tag_id_idx" ON "funnel_tags"("tag_id");

-- CreateIndex
CREATE UNIQUE INDEX "refine_filters_public_id_key" ON "refine_filters"("public_id");

-- CreateIndex
CREATE UNIQUE INDEX "refine_filters_workspace_id_name_key" ON "refine_filters"("workspace_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "refine_filters_workspace_id_id_key" ON "refine_filters"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_endpoints_public_id_key" ON "webhook_endpoints"("public_id");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_endpoints_workspace_id_id_key" ON "webhook_endpoints"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "funnels_public_id_key" ON "funnels"("public_id");

-- CreateIndex
CREATE UNIQUE INDEX "funnels_workspace_id_id_key" ON "funnels"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "funnels_workspace_id_current_path_key" ON "funnels"("workspace_id", "current_path");

-- CreateIndex
CREATE UNIQUE INDEX "pages_public_id_key" ON "pages"("public_id");

-- CreateIndex
CREATE UNIQUE INDEX "pages_workspace_id_id_key" ON "pages"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "funnel_steps_public_id_key" ON "funnel_steps"("public_id");

-- CreateIndex
CREATE INDEX "funnel_steps_page_id_idx" ON "funnel_steps"("page_id");

-- CreateIndex
CREATE INDEX "funnel_steps_filter_id_idx" ON "funnel_steps"("filter_id");

-- CreateIndex
CREATE UNIQUE INDEX "funnel_steps_funnel_id_id_key" ON "funnel_steps"("funnel_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_public_id_key" ON "api_keys"("public_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_token_hash_key" ON "api_keys"("token_hash");

-- CreateIndex
CREATE INDEX "api_keys_team_id_id_idx" ON "api_keys"("team_id", "id");

-- AddForeignKey
ALTER TABLE "workspaces" ADD CONSTRAINT "workspaces_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "custom_domains" ADD CONSTRAINT "custom_domains_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contacts" ADD CONSTRAINT "contacts_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tags" ADD CONSTRAINT "tags_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_tags" ADD CONSTRAINT "contact_tags_workspace_id_contact_id_fkey" FOREIGN KEY ("workspace_id", "contact_id") REFERENCES "contacts"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_tags" ADD CONSTRAINT "contact_tags_workspace_id_tag_id_fkey" FOREIGN KEY ("workspace_id", "tag_id") REFERENCES "tags"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "funnel_tags" ADD CONSTRAINT "funnel_tags_workspace_id_funnel_id_fkey" FOREIGN KEY ("workspace_id", "funnel_id") REFERENCES "funnels"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "funnel_tags" ADD CONSTRAINT "funnel_tags_workspace_id_tag_id_fkey" FOREIGN KEY ("workspace_id", "tag_id") REFERENCES "tags"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "refine_filters" ADD CONSTRAINT "refine_filters_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "funnels" ADD CONSTRAINT "funnels_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "funnels" ADD CONSTRAINT "funnels_workspace_id_custom_domain_id_fkey" FOREIGN KEY ("workspace_id", "custom_domain_id") REFERENCES "custom_domains"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pages" ADD CONSTRAINT "pages_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "funnel_steps" ADD CONSTRAINT "funnel_steps_workspace_id_funnel_id_fkey" FOREIGN KEY ("workspace_id", "funnel_id") REFERENCES "funnels"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "funnel_steps" ADD CONSTRAINT "funnel_steps_funnel_id_parent_id_fkey" FOREIGN KEY ("funnel_id", "parent_id") REFERENCES "funnel_steps"("funnel_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "funnel_steps" ADD CONSTRAINT "funnel_steps_workspace_id_page_id_fkey" FOREIGN KEY ("workspace_id", "page_id") REFERENCES "pages"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "funnel_steps" ADD CONSTRAINT "funnel_steps_workspace_id_filter_id_fkey" FOREIGN KEY ("workspace_id", "filter_id") REFERENCES "refine_filters"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand from here on: what schema.prisma cannot say. Prisma's diff looks past all of it (a test holds that).

-- True when every element is there and matches; CHECK allows no subquery of its own.
CREATE FUNCTION "all_match"("texts" text[], "pattern" text) RETURNS boolean
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (SELECT coalesce(bool_and("text" IS NOT NULL AND "text" ~ "pattern"), true) FROM unnest("texts") AS "text");

-- Lists are empty, never null.
ALTER TABLE "webhook_endpoints"
  ALTER COLUMN "event_type_ids" SET NOT NULL,
  ALTER COLUMN "page_ids" SET NOT NULL,
  ALTER COLUMN "funnel_ids" SET NOT NULL;
ALTER TABLE "api_keys" ALTER COLUMN "scopes" SET NOT NULL;

-- Checks
ALTER TABLE "teams"
  ADD CONSTRAINT "teams_public_id_check" CHECK ("public_id" ~ '^[A-Za-z]{6,}$'),
  ADD CONSTRAINT "teams_name_check" CHECK ("name" ~ '\S'),
  ADD CONSTRAINT "teams_subdomain_check" CHECK ("subdomain" ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  ADD CONSTRAINT "teams_locale_check" CHECK ("locale" IN ('en', 'es', 'ja', 'pt'));

ALTER TABLE "workspaces"
  ADD CONSTRAINT "workspaces_public_id_check" CHECK ("public_id" ~ '^[A-Za-z]{6,}$'),
  ADD CONSTRAINT "workspaces_name_check" CHECK ("name" ~ '\S'),
  ADD CONSTRAINT "workspaces_subdomain_check" CHECK ("subdomain" ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$');

ALTER TABLE "custom_domains"
  ADD CONSTRAINT "custom_domains_host_check" CHECK (
    length("host") <= 253
    AND "host" ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$'
  );

ALTER TABLE "contacts"
  ADD CONSTRAINT "contacts_public_id_check" CHECK ("public_id" ~ '^[A-Za-z]{6,}$'),
  ADD CONSTRAINT "contacts_email_address_check" CHECK ("email_address" ~ '^\S+@[^\s@]+$'),
  ADD CONSTRAINT "contacts_custom_attributes_check" CHECK (jsonb_typeof("custom_attributes") = 'object');

ALTER TABLE "tags"
  ADD CONSTRAINT "tags_public_id_check" CHECK ("public_id" ~ '^[A-Za-z]{6,}$'),
  ADD CONSTRAINT "tags_name_check" CHECK ("name" ~ '\S'),
  ADD CONSTRAINT "tags_color_check" CHECK ("color" ~ '^#[0-9a-fA-F]{6}$');

ALTER TABLE "refine_filters"
  ADD CONSTRAINT "refine_filters_public_id_check" CHECK ("public_id" ~ '^[A-Za-z]{6,}$'),
  ADD CONSTRAINT "refine_filters_name_check" CHECK ("name" ~ '\S'),
  ADD CONSTRAINT "refine_filters_conjunction_check" CHECK ("conjunction" IN ('and', 'or')),
  ADD CONSTRAINT "refine_filters_criteria_check" CHECK (jsonb_typeof("criteria") = 'array');

ALTER TABLE "webhook_endpoints"
  ADD CONSTRAINT "webhook_endpoints_public_id_check" CHECK ("public_id" ~ '^[A-Za-z]{6,}$'),
  ADD CONSTRAINT "webhook_endpoints_name_check" CHECK ("name" ~ '\S'),
  ADD CONSTRAINT "webhook_endpoints_url_check" CHECK ("url" ~ '^https?://[^\s]+$'),
  ADD CONSTRAINT "webhook_endpoints_api_version_check" CHECK ("api_version" IN (1, 2)),
  ADD CONSTRAINT "webhook_endpoints_event_type_ids_check"
    CHECK ("all_match"("event_type_ids", '^[A-Za-z0-9_/-]+(\.[A-Za-z0-9_/-]+)+$')),
  ADD CONSTRAINT "webhook_endpoints_page_ids_check" CHECK (array_position("page_ids", NULL) IS NULL),
  ADD CONSTRAINT "webhook_endpoints_funnel_ids_check" CHECK (array_position("funnel_ids", NULL) IS NULL);

ALTER TABLE "funnels"
  ADD CONSTRAINT "funnels_public_id_check" CHECK ("public_id" ~ '^[A-Za-z]{6,}$'),
  ADD CONSTRAINT "funnels_name_check" CHECK ("name" ~ '\S');

ALTER TABLE "pages"
  ADD CONSTRAINT "pages_public_id_check" CHECK ("public_id" ~ '^[A-Za-z]{6,}$'),
  ADD CONSTRAINT "pages_name_check" CHECK ("name" ~ '\S'),
  ADD CONSTRAINT "pages_discarded_with_reason" CHECK (("discarded_at" IS NULL) = ("discard_reason" IS NULL));

ALTER TABLE "funnel_steps"
  ADD CONSTRAINT "funnel_steps_public_id_check" CHECK ("public_id" ~ '^[A-Za-z]{6,}$'),
  ADD CONSTRAINT "funnel_steps_name_check" CHECK ("name" ~ '\S'),
  ADD CONSTRAINT "funnel_steps_position_check" CHECK ("position" >= 0),
  ADD CONSTRAINT "funnel_steps_branch_of_parent" CHECK (("parent_id" IS NULL) = ("branch" IS NULL)),
  ADD CONSTRAINT "funnel_steps_not_own_parent" CHECK ("parent_id" <> "id"),
  ADD CONSTRAINT "funnel_steps_page_of_page_step" CHECK (("kind" = 'page') = ("page_id" IS NOT NULL)),
  ADD CONSTRAINT "funnel_steps_filter_of_split" CHECK ("filter_id" IS NULL OR "kind" = 'conditional_split'),
  ADD CONSTRAINT "funnel_steps_removed_with_reason" CHECK (("removed_at" IS NULL) = ("removal_reason" IS NULL));

ALTER TABLE "api_keys"
  ADD CONSTRAINT "api_keys_public_id_check" CHECK ("public_id" ~ '^[A-Za-z]{6,}$'),
  ADD CONSTRAINT "api_keys_name_check" CHECK ("name" ~ '\S'),
  ADD CONSTRAINT "api_keys_token_hash_check" CHECK (octet_length("token_hash") = 32),
  ADD CONSTRAINT "api_keys_scopes_check"
    CHECK (cardinality("scopes") > 0 AND "all_match"("scopes", '^([a-z_]+:)?(read|write)$')),
  ADD CONSTRAINT "api_keys_expires_at_check" CHECK ("expires_at" > "created_at");

-- An e-mail address is one contact's in its workspace, whatever its case.
CREATE UNIQUE INDEX "contacts_workspace_id_email_address_key" ON "contacts" ("workspace_id", lower("email_address"))
  WHERE "email_address" IS NOT NULL;

-- A team has at most one live default key.
CREATE UNIQUE INDEX "api_keys_one_default" ON "api_keys" ("team_id") WHERE "is_default" AND "revoked_at" IS NULL;

-- A page stands in at most one step of a workflow.
CREATE UNIQUE INDEX "funnel_steps_one_step_of_page" ON "funnel_steps" ("page_id") WHERE "removed_at" IS NULL;

-- Siblings have different positions. Looked at when the transaction ends, so that they can change places within one.
-- The CASE is there because an enum's text is not immutable, which an index needs.
ALTER TABLE "funnel_steps" ADD CONSTRAINT "funnel_steps_sibling_position"
  EXCLUDE USING btree (
    "funnel_id" WITH =,
    (coalesce("parent_id", 0)) WITH =,
    (CASE "branch" WHEN 'matched' THEN 1 WHEN 'unmatched' THEN 2 ELSE 0 END) WITH =,
    "position" WITH =
  ) WHERE ("removed_at" IS NULL) DEFERRABLE INITIALLY DEFERRED;

-- A funnel's workflow in reading order, and its splits by id.
CREATE INDEX "funnel_steps_workflow" ON "funnel_steps" ("funnel_id", "parent_id", "branch", "position")
  WHERE "removed_at" IS NULL;
CREATE INDEX "funnel_steps_splits" ON "funnel_steps" ("funnel_id", "id")
  WHERE "kind" = 'conditional_split' AND "removed_at" IS NULL;

-- A step's parent is a conditional split, and a step stays what it is. (That the parent is of the same funnel is the
-- foreign key's.) The parent has to be there first: one that came later in the same statement would go unseen.
CREATE FUNCTION "funnel_step_parent_is_split"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  parent_kind "step_kind";
BEGIN
  IF new.parent_id IS NULL THEN
    RETURN new;
  END IF;
  SELECT kind INTO parent_kind FROM funnel_steps WHERE id = new.parent_id AND funnel_id = new.funnel_id;
  IF parent_kind IS NULL THEN
    RAISE EXCEPTION 'the funnel has no step % to be the parent of a step', new.parent_id
      USING ERRCODE = 'foreign_key_violation', TABLE = 'funnel_steps', CONSTRAINT = 'funnel_steps_funnel_id_parent_id_fkey';
  ELSIF parent_kind <> 'conditional_split' THEN
    RAISE EXCEPTION 'step % is a page, and only a conditional split has steps below it', new.parent_id
      USING ERRCODE = 'check_violation', TABLE = 'funnel_steps', CONSTRAINT = 'funnel_step_parent_is_split';
  END IF;
  RETURN new;
END
$$;

CREATE TRIGGER "funnel_step_parent_is_split" BEFORE INSERT OR UPDATE OF "parent_id", "funnel_id" ON "funnel_steps"
  FOR EACH ROW EXECUTE FUNCTION "funnel_step_parent_is_split"();

CREATE FUNCTION "funnel_step_kind_is_fixed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'step % is a %, and stays one', old.id, old.kind
    USING ERRCODE = 'check_violation', TABLE = 'funnel_steps', CONSTRAINT = 'funnel_step_kind_is_fixed';
END
$$;

CREATE TRIGGER "funnel_step_kind_is_fixed" BEFORE UPDATE OF "kind" ON "funnel_steps"
  FOR EACH ROW WHEN (old."kind" <> new."kind") EXECUTE FUNCTION "funnel_step_kind_is_fixed"();

-- A subdomain names one team or one workspace, never both. The lock makes two that are saved at the same time wait for
-- each other; the second then sees the first.
CREATE FUNCTION "subdomain_is_free"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  taken boolean;
BEGIN
  IF new.subdomain IS NULL THEN
    RETURN new;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('subdomain:' || new.subdomain, 0));
  IF tg_table_name = 'teams' THEN
    taken := EXISTS (SELECT FROM workspaces WHERE subdomain = new.subdomain);
  ELSE
    taken := EXISTS (SELECT FROM teams WHERE subdomain = new.subdomain);
  END IF;
  IF taken THEN
    RAISE EXCEPTION 'the subdomain "%" is taken', new.subdomain
      USING ERRCODE = 'unique_violation', TABLE = tg_table_name, COLUMN = 'subdomain', CONSTRAINT = 'subdomain_is_free',
            DETAIL = format('Key (subdomain)=(%s) already exists.', new.subdomain);
  END IF;
  RETURN new;
END
$$;

CREATE TRIGGER "subdomain_is_free" BEFORE INSERT OR UPDATE OF "subdomain" ON "teams"
  FOR EACH ROW EXECUTE FUNCTION "subdomain_is_free"();
CREATE TRIGGER "subdomain_is_free" BEFORE INSERT OR UPDATE OF "subdomain" ON "workspaces"
  FOR EACH ROW EXECUTE FUNCTION "subdomain_is_free"();
