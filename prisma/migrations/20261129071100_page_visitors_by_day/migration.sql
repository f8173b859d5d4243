-- Finds the visitors that are deleted by age.
create index concurrently page_visitors_first_on_idx on page_visitors (first_on);
