-- Contacts in the order of their changes, with when they were created: so a span of that time is selected from a list without reading contacts.
create index concurrently contacts_workspace_id_updated_at_id_created_at_idx on contacts (workspace_id, updated_at, id, created_at);
