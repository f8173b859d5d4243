-- Nobody asks any more where the log was when a credential wrote last: for some seconds its reads go to the primary.
drop table write_positions;
