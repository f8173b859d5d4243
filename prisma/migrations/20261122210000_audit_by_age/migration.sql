-- Audit entries beside the partitions by time are deleted by their age.
create index concurrently audit_entries_default_created_at_idx on audit_entries_default using brin (created_at);
