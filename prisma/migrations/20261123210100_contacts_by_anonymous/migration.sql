-- Lists of the contacts that are anonymous, and of those that are not, in the order of their ids.
create index concurrently contacts_workspace_id_anonymous_id_idx on contacts (workspace_id, anonymous, id);
