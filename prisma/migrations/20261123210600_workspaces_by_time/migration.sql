-- Lists of workspaces in the order of their changes.
create index concurrently workspaces_team_id_updated_at_id_idx on workspaces (team_id, updated_at, id);
