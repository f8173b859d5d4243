-- Lists of webhook endpoints in the order of their changes.
create index concurrently webhook_endpoints_workspace_id_updated_at_id_idx on webhook_endpoints (workspace_id, updated_at, id);
