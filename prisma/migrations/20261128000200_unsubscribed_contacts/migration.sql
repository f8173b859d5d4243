-- The contacts that have unsubscribed, for saved filters, in the order of their ids. Few have, so few creations write it.
create index concurrently contacts_unsubscribed_id_idx on contacts (workspace_id, id) where unsubscribed_at is not null;
