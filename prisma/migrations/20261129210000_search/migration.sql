-- Finds objects by words of their texts (src/store/sql/search.ts). Over Citus there is no search, and these statements are left out
-- (src/store/migrations/apply.ts): the functions know the tables themselves, not their shards.
create extension if not exists unaccent;
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- Texts as they are compared: without accents, in lower case, each word after a blank. It names the schema of what it calls, because
-- indexes are built and checked with nothing on the search path. Its cost, several times the real one, has the planner prefer the index also
-- where it does not know yet how many rows a workspace has.
-- checked: no running version knows the functions
do $migration$
begin
  execute format($definition$
    create function search_words(words text) returns text
      language plpgsql immutable strict parallel safe cost 5000 as $$
    begin
      return ' ' || lower(%1$I.unaccent('%1$I.unaccent'::regdictionary, replace(words, chr(12288), ' ')));
    end
    $$
  $definition$, (select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'unaccent'));
end
$migration$;

-- What `like` compares with, for each word that is looked for: any part of a word or, of one or two characters, its beginning. What has
-- nothing but accents is left out.
create function search_patterns(words text[]) returns text[]
  language plpgsql immutable strict parallel safe as $$
begin
  return array(
    select case when length(w.word) < 3 then '% ' else '%' end
      || replace(replace(replace(w.word, '\', '\\'), '%', '\%'), '_', '\_') || '%'
    from (select ltrim(search_words(u.word)) as word from unnest(words) u (word)) w where w.word <> '');
end
$$;

-- The rows of a workspace that an index finds by all patterns, at most so many (null: all). Such an index has the workspace and a text. Only a
-- bitmap scan reads it, which the sessions of readers avoid (src/store/pipelining/session.ts), and the patterns determine its plan.
create function search_ids(index_name text, id_column text, of_workspace bigint, patterns text[], most bigint) returns setof bigint
  language plpgsql stable
  set enable_bitmapscan = on set enable_indexscan = off set enable_indexonlyscan = off set enable_seqscan = off set jit = off
  as $$
declare
  found_in constant regclass := index_name;
  texts constant text := pg_get_indexdef(found_in, 2, true);
begin
  return query execute format('select t.%I from %s t where t.workspace_id = $1 and %s limit $2', id_column,
    (select i.indrelid::regclass from pg_index i where i.indexrelid = found_in),
    coalesce((select string_agg(format('%s like %L', texts, p.pattern), ' and ') from unnest(patterns) p (pattern)), 'true'))
    using of_workspace, most;
end
$$;
