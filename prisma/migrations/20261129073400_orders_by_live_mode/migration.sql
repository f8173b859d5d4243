-- For the filter by live_mode.
create index concurrently orders_workspace_id_live_mode_id_idx on orders (workspace_id, live_mode, id);
