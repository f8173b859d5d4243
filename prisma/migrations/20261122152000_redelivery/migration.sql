-- A delivery can be made due again. Its attempts are counted on; the waits between them begin anew with those that follow.
alter table webhook_deliveries
  -- How many attempts there were when it was made due again.
  add column attempts_before integer not null default 0,
  add constraint webhook_deliveries_attempts_before_check check (attempts_before between 0 and attempt_count);
