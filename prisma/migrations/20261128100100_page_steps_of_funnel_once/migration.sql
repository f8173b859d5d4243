-- The index with the condition on the kind serves the same.
drop index concurrently if exists funnel_steps_pages_of_funnel;
