-- The same in the order of their changes.
create index concurrently contacts_workspace_id_anonymous_updated_at_id_idx on contacts (workspace_id, anonymous, updated_at, id);
