-- For the filter of the same name, which ignores letter case (src/store/sql/text-key.ts). An entry of 500 characters fits into an index.
create index concurrently contacts_first_name_id_idx on contacts (workspace_id, lower("left"(first_name, 500)), id)
  where lower("left"(first_name, 500)) is not null;
