-- The same for each reason.
create index concurrently contacts_email_suppression_reason_updated_at_id_idx on contacts (workspace_id, email_suppression_reason, updated_at, id) where email_suppression_reason is not null;
