// The SQL of searches: the text of a row by whose words it is found, and the ids that indexes find by these words. `search_words` and the
// other functions are those of the migration `search`.
//
// Each index is of one table, so that a change costs no more than the texts that it writes: `orders` has no copy of the contact's words.
// Reads run as the owner of the tables (tenancy/tenant-role.ts). As the tenant role, PostgreSQL would use none of these indexes, because
// `like` is not leakproof.
import { toSnakeCase } from '../../resources/description/names.ts';
import type { Resource } from '../../resources/description/resource.ts';
import type { Match, PairMatch } from './matches.ts';
import { ROW_WORKSPACE } from './statements.ts';

/** The name of the filter for a search, in selections and statements. Its values are words. */
export const SEARCH = 'search';

/** The characters of a field that are searched. */
const MAX_CHARS = 500;

/** Compares by words of a row's texts. */
export interface SearchMatch {
  /** SQL of the texts of a row `t`, for `like`. */
  readonly text: string;
  /**
   * SQL of the ids of rows that may match.
   * @param patterns SQL of an array, from `search_patterns` @param most SQL of the maximum number; it is ignored unless `isExact`
   */
  candidates(workspace: string, patterns: string, most: string): string;
  /** Whether all candidates match. */
  readonly isExact: boolean;
}

/** The index of a table for searches. */
export const searchIndex = (table: string) => `${table}_search_idx`;

/** SQL of the indexed text of a row. @param alias of the row, with a dot @param columns with their maximum length, if they have one */
export function searchText(
  alias: string,
  columns: readonly { readonly name: string; readonly type: string; readonly maxLength?: number }[],
): string {
  const texts = columns.map(({ name, type, maxLength = MAX_CHARS + 1 }) => {
    const column = `${alias}${name}${type === 'text' ? '' : '::text'}`;
    return `coalesce(${maxLength > MAX_CHARS && type === 'text' ? `"left"(${column}, ${MAX_CHARS})` : column}, '')`;
  });
  return `search_words(${texts.join(` || ' ' || `)})`;
}

/** What a noun is searched by. */
export interface SearchedParts {
  /** Its own columns. */
  readonly own: Parameters<typeof searchText>[1];
  /** Rows of other tables below it, with one text each. */
  readonly below: readonly PairMatch[];
  /** Nouns that it refers to: its column with their id, and their own parts. */
  readonly others: readonly { readonly key: string; readonly noun: Resource }[];
}

/** The parts of a noun's `search`; null if it has none. */
export function searchedParts(
  { fields, search }: Pick<Resource, 'fields' | 'search'>,
  matches: Readonly<Record<string, Match | undefined>>,
): SearchedParts | null {
  if (search === undefined) return null;
  const own: SearchedParts['own'][number][] = [];
  const below: PairMatch[] = [];
  const others: { key: string; noun: Resource }[] = [];
  for (const property of search) {
    const match = matches[property];
    const field = fields[property];
    const name = toSnakeCase(property);
    if (match !== undefined && 'table' in match) below.push(match);
    else if (field?.refers !== undefined) others.push({ key: name, noun: field.refers as Resource });
    else if (field !== undefined)
      own.push({ name, type: field.type, ...(field.maxLength && { maxLength: field.maxLength }) });
    else throw new Error(`Nothing to search has the name ${property}.`);
  }
  return { own, below, others };
}

const ids = (table: string, column: string, workspace: string, patterns: string, most: string) =>
  `search_ids('${searchIndex(table)}', '${column}', ${workspace}, ${patterns}, ${most})`;

/** How a noun's lists are searched; null: they are not. */
export function searchMatch(
  noun: Pick<Resource, 'table' | 'fields' | 'search'>,
  matches: Readonly<Record<string, Match | undefined>>,
): SearchMatch | null {
  const parts = searchedParts(noun, matches);
  if (parts === null) return null;
  const { own, below, others } = parts;
  const textsBelow = below.map(
    ({ table, row, value }) =>
      `coalesce((select string_agg(${searchText('b.', [{ name: value, type: 'text' }])}, '') from ${table} b
        where b.workspace_id = ${ROW_WORKSPACE} and b.${row} = t.id), '')`,
  );
  const textsOfOthers = others.map(
    ({ key, noun: other }) =>
      `coalesce((select ${searchText('o.', searchedParts(other, {})?.own ?? [])} from ${other.table} o
        where o.workspace_id = ${ROW_WORKSPACE} and o.id = t.${key}), '')`,
  );
  return {
    text: [searchText('t.', own), ...textsBelow, ...textsOfOthers].join(' || '),
    isExact: below.length + others.length === 0,
    candidates(workspace, patterns, most) {
      // A row matches if one of its texts has all words, or if another text has at least one of them. `text` decides.
      const each = (found: (pattern: string) => string) =>
        `select x.id from unnest(${patterns}) p (pattern) cross join lateral ${found('array[p.pattern]')} x (id)`;
      const [other, ...more] = others;
      if (more.length > 0 || (other !== undefined && below.length > 0))
        throw new Error('A search is of the texts of one other noun, or of rows below.');
      if (other === undefined) {
        const limit = below.length === 0 ? most : 'null';
        return [
          `select x.id from ${ids(noun.table, 'id', workspace, patterns, limit)} x (id)`,
          ...below.map(({ table, row }) => each((pattern) => ids(table, row, workspace, pattern, 'null'))),
        ].join(' union ');
      }
      return `select r.id from ${ids(other.noun.table, 'id', workspace, patterns, 'null')} x (id)
          cross join lateral (select t.id from ${noun.table} t where t.workspace_id = ${workspace} and t.${other.key} = x.id offset 0) r
        union ${each((pattern) => ids(noun.table, 'id', workspace, pattern, 'null'))}`;
    },
  };
}
