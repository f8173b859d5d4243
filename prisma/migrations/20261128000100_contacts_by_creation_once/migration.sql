-- The index with the time of the change too serves the same.
drop index concurrently if exists contacts_workspace_id_created_at_id_idx;
