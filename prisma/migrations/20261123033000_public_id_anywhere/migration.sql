-- Public ids are computed wherever rows are written: also where nothing is on the search path, as in logical replication, by which Citus
-- moves shards, and in what pg_dump restores. So the function names the schema of the one that it calls.
-- checked: the same function, for whoever had found both
do $migration$
begin
  execute format($definition$
    create or replace function public_id(type_number integer, id bigint) returns text
      language plpgsql immutable strict parallel safe as $$
    begin
      if id < 1 then
        return null;
      end if;
      if id < 19770609664 then
        return %1$I.six_letters(type_number, id);
      end if;
      return %1$I.six_letters(type_number, id / 19770609664)
        || %1$I.six_letters(type_number, (id / 19770609664 + id %% 19770609664) %% 19770609664);
    end
    $$
  $definition$, current_schema());
end
$migration$;
