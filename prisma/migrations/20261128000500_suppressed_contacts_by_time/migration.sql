-- The same in the order of their changes.
create index concurrently contacts_suppressed_updated_at_id_idx on contacts (workspace_id, updated_at, id) where email_suppression_reason is not null;
