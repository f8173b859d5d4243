-- The index in the order of addresses serves the same.
drop index concurrently if exists contacts_workspace_id_email_address_prefix_idx;
