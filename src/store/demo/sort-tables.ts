// Sorts the tables of the demo: each after those that its rows refer to.
import { type Fixture, referencesOf, toReference } from './fixture.ts';

/**
 * Sorts the tables of the fixture so that rows can be inserted table by table. Where two refer to each other, the one whose reference may be empty comes first.
 * @param canBeEmpty whether a column may be null
 */
export function sortTables(
  fixture: Fixture,
  canBeEmpty: (table: string, column: string) => boolean,
): readonly string[] {
  const required = new Map<string, Set<string>>();
  const optional = new Map<string, Set<string>>();
  for (const [table, rows] of fixture) {
    const [needed, wanted] = [new Set<string>(), new Set<string>()];
    for (const { workspace, row } of rows) {
      if (workspace !== null) needed.add('workspaces');
      for (const [column, value] of Object.entries(row)) {
        const isOptional = toReference(value) !== null && canBeEmpty(table, column);
        for (const reference of referencesOf(value)) (isOptional ? wanted : needed).add(reference.table);
      }
    }
    required.set(table, needed);
    optional.set(table, wanted);
  }
  const ordered = new Set<string>();
  const visit = (table: string, above: readonly string[] = []) => {
    if (ordered.has(table) || above.includes(table)) return;
    const wanted = [...(optional.get(table) ?? [])].filter((name) => !requires(required, name, table));
    for (const name of [...(required.get(table) ?? []), ...wanted]) visit(name, [...above, table]);
    if (fixture.has(table)) ordered.add(table);
  };
  for (const table of fixture.keys()) visit(table);
  return [...ordered];
}

/** Whether rows of a table need rows of another one, directly or not. */
function requires(
  required: ReadonlyMap<string, ReadonlySet<string>>,
  table: string,
  other: string,
  seen = new Set<string>(),
): boolean {
  if (table === other) return true;
  if (seen.has(table)) return false;
  seen.add(table);
  return [...(required.get(table) ?? [])].some((name) => requires(required, name, other, seen));
}
