-- The index with the time of the creation too serves the same.
drop index concurrently if exists contacts_workspace_id_updated_at_id_idx;
