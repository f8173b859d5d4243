-- Products whose name is a text or begins with one, in any case, for saved filters: in the order of bytes, in which those are one range.
create index concurrently products_workspace_id_name_prefix_idx on products (workspace_id, (lower(name) collate "C"));
