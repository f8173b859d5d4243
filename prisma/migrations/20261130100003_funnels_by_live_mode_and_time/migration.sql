-- The same in the order of changes.
create index concurrently funnels_workspace_id_live_mode_updated_at_id_idx on funnels (workspace_id, live_mode, updated_at, id);
