-- The pages that steps of a funnel show, by id. Its condition on the kind keeps the look-up of one page's step off this index: where the
-- planner knows nothing of the table, it took the one that this replaces for as good as `funnel_steps_one_step_of_page`, and read all steps of
-- the workspace.
create index concurrently funnel_steps_page_steps_of_funnel on funnel_steps (workspace_id, funnel_id, page_id) where kind = 'page' and removed_at is null;
