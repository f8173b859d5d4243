-- Lists of funnels in the order of their changes.
create index concurrently funnels_workspace_id_updated_at_id_idx on funnels (workspace_id, updated_at, id);
