-- The index of the pages that are not discarded serves the same.
drop index concurrently if exists pages_workspace_id_created_at_id_idx;
