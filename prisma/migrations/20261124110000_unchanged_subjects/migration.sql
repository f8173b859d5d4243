-- Which row a request left unchanged: its retry may find another one by the same e-mail address.
alter table idempotency_records add column subject_id bigint;
