-- The index of the visible pages alone serves the same lists.
drop index concurrently if exists pages_workspace_id_updated_at_id_idx;
