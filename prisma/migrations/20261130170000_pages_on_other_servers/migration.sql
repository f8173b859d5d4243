-- Pages have styles of their own, and may be on another server.
-- AlterTable
ALTER TABLE "pages" ADD COLUMN     "custom_css" TEXT,
ADD COLUMN     "external_url" TEXT;

-- checked: no version before writes the column, so that every row has null
alter table pages add constraint pages_external_url_check check (external_url ~ '^https?://\S+$');
