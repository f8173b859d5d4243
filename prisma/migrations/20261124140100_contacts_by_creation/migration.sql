-- Contacts that were created in a span of time, for saved filters.
create index concurrently contacts_workspace_id_created_at_id_idx on contacts (workspace_id, created_at, id);
