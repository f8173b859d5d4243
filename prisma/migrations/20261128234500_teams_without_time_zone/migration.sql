-- A team need not have a time zone.
alter table teams alter column time_zone drop not null;
