-- The contacts that saved filters find by their last activity.
create index concurrently contact_visits_workspace_id_last_at_contact_id_idx on contact_visits (workspace_id, last_at, contact_id);
