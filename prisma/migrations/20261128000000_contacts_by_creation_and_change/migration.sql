-- Contacts that were created in a span of time, for saved filters, with what lists are ordered by: so no contact has to be read to order them.
create index concurrently contacts_workspace_id_created_at_id_updated_at_idx on contacts (workspace_id, created_at, id, updated_at);
