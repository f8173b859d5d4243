-- Contacts that have unsubscribed, for saved filters.
create index concurrently contacts_workspace_id_unsubscribed_at_id_idx on contacts (workspace_id, unsubscribed_at, id)
  where unsubscribed_at is not null;
