-- The contacts whose e-mail address is suppressed, for saved filters, in the order of their ids. Few are, so few creations write it.
create index concurrently contacts_suppressed_id_idx on contacts (workspace_id, id) where email_suppression_reason is not null;
