-- For the filter by archived.
create index concurrently funnels_workspace_id_archived_id_idx on funnels (workspace_id, archived, id);
