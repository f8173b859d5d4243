-- A team need not have a time zone.
-- checked: a version before shows null over REST; over GraphQL, where the field was never null, the team's is an error
alter table teams alter column time_zone drop not null;
