-- The same in the order of changes.
create index concurrently funnels_workspace_id_archived_updated_at_id_idx on funnels (workspace_id, archived, updated_at, id);
