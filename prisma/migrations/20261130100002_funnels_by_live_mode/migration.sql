-- For the filter by live mode.
create index concurrently funnels_workspace_id_live_mode_id_idx on funnels (workspace_id, live_mode, id);
