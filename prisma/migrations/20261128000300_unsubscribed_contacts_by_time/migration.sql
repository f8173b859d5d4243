-- The same in the order of their changes.
create index concurrently contacts_unsubscribed_updated_at_id_idx on contacts (workspace_id, updated_at, id) where unsubscribed_at is not null;
