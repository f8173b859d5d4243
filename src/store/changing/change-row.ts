// Changes one row within a change of several steps. The row is already locked, and its workspace is known.
import type { Executor } from '../connections/executor.ts';
import { type NamedStatement, valuesOf } from '../sql/statements.ts';
import type { Table } from '../tables/table.ts';
import type { ChangeRules } from './rules.ts';
import { type ChangeStatements, changeStatements, LOCKED_ROW_RULES } from './statements.ts';

type Noun = Table<{ id: bigint }>;

/** Memoized statements by rules and table. */
const memoizedStatements = new WeakMap<ChangeRules, Map<string, ChangeStatements>>();

function statementsOf(table: Noun, rules: ChangeRules): ChangeStatements {
  const known = memoizedStatements.get(rules)?.get(table.name);
  if (known !== undefined) return known;
  const statements = changeStatements(table, rules, LOCKED_ROW_RULES);
  memoizedStatements.set(rules, new Map(memoizedStatements.get(rules)).set(table.name, statements));
  return statements;
}

interface RowInWorkspace {
  readonly workspaceId: bigint;
  readonly id: bigint;
  /** The time of the change, drawn for the table. */
  readonly now: string;
}

async function ask<Row extends object>(
  tx: Executor,
  statement: NamedStatement,
  { workspaceId: workspace_id, ...row }: RowInWorkspace,
  values: object = {},
): Promise<Row | undefined> {
  const all = valuesOf(statement, { workspace_id, ...row, ...values });
  const [found] = await tx.$queryRawUnsafe<Row[]>(statement.text, ...all);
  return found;
}

/**
 * Changes a row.
 * @param given the values to set, by column, as JSON @param touched changes the row even if it has these values, because other rows that it
 * shows have changed
 * @param shown its JSON from before the change, if other rows that it shows have changed since
 * @param rules the same object for every call: it is the key of the memoized statements
 * @returns its JSON before, and whether it was changed
 */
export async function changeRow(
  tx: Executor,
  table: Noun,
  rules: ChangeRules,
  {
    given,
    touched = false,
    shown,
    ...row
  }: RowInWorkspace & { readonly given: string; readonly touched?: boolean; readonly shown?: string },
): Promise<{ before: string | null; isChanged: boolean }> {
  const { personal, before, plan, update } = statementsOf(table, rules);
  if (personal !== null) await ask(tx, personal.blank, row);
  const was = await ask<{ before: string }>(tx, before, row);
  const planned = await ask<{ is_change: boolean }>(tx, plan, row, { given, known_by: null });
  const isChanged = touched || planned?.is_change === true;
  if (isChanged) await ask(tx, update, row, planned);
  return { before: shown ?? was?.before ?? null, isChanged };
}

/** Removes a row. @returns its JSON before */
export async function removeRow(
  tx: Executor,
  table: Noun,
  rules: ChangeRules,
  row: RowInWorkspace,
): Promise<string | null> {
  const { before, remove } = statementsOf(table, rules);
  const was = await ask<{ before: string }>(tx, before, row);
  await ask(tx, remove, row);
  return was?.before ?? null;
}
