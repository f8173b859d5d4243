-- Contacts whose e-mail address is suppressed, for saved filters.
create index concurrently contacts_workspace_id_email_suppression_reason_id_idx on contacts (workspace_id, email_suppression_reason, id)
  where email_suppression_reason is not null;
