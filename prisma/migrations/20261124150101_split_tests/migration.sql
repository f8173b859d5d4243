-- What a step's parent has to be, by the branch that it is on; null on the top level. A function, because Prisma's diff does not
-- understand the expression.
create function parent_kind(branch branch) returns step_kind
  language plpgsql immutable strict parallel safe as $$
begin
  return case when branch in ('matched', 'unmatched') then 'conditional_split' else 'split_test' end;
end
$$;

-- Both columns are generated, and their expressions can only be changed by making them anew. Funnels have few steps.
-- checked: made anew below, within the same transaction
alter table funnel_steps drop constraint funnel_steps_parent_fkey;
-- checked: as above
alter table funnel_steps drop constraint funnel_steps_sibling_position;
-- checked: as above
alter table funnel_steps drop column parent_kind, drop column sibling_list;
-- checked: the table is small
alter table funnel_steps add column parent_kind step_kind generated always as (parent_kind(branch)) stored;
-- checked: the table is small
alter table funnel_steps add column sibling_list bigint generated always as (
  case when removed_at is null
    then coalesce(case when branch in ('matched', 'left') then parent_id else -parent_id end, 0) end
) stored;
-- checked: as before; the parent is a split of the kind that has this branch
alter table funnel_steps add constraint funnel_steps_parent_fkey
  foreign key (workspace_id, parent_id, funnel_id, parent_kind)
  references funnel_steps (workspace_id, id, funnel_id, kind) on delete restrict;
-- checked: as before
alter table funnel_steps add constraint funnel_steps_sibling_position
  unique (workspace_id, funnel_id, sibling_list, position) deferrable initially deferred;
-- checked: nothing else calls it
drop function parent_kind(bigint);

-- The left variant's share of the visitors in percent. The right variant has the rest, so the weights sum to 100.
alter table funnel_steps add column left_weight integer;
-- checked: no version before makes split tests
alter table funnel_steps add constraint funnel_steps_left_weight_check check (left_weight between 0 and 100);
-- checked: as above
alter table funnel_steps add constraint funnel_steps_weight_of_split_test
  check ((kind = 'split_test') = (left_weight is not null));
-- A funnel's split tests, by id.
-- checked: the table is small
create index funnel_steps_split_tests on funnel_steps (workspace_id, funnel_id, id)
  where kind = 'split_test' and removed_at is null;

-- Clients build workflows.
grant insert, update (name, page_id, left_weight) on funnel_steps to funnel_gateway_tenant;
grant usage on sequence funnel_steps_id_seq to funnel_gateway_tenant;
