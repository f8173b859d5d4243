// Creates a row below a workspace as a part of a change that a service writes itself.
import { memoize } from '../../concurrency/memoize.ts';
import type { Executor } from '../connections/executor.ts';
import { valuesOf } from '../sql/statements.ts';
import type { Table } from '../tables/table.ts';
import type { ColumnValues } from './children.ts';
import { type ChangeRecord, isNotified, timeOf } from './records.ts';
import type { ChangeRules } from './rules.ts';
import { changeStatements, LOCKED_ROW_RULES } from './statements.ts';

/**
 * @param parameters those of the noun's rules
 * @throws the database's error
 */
type InsertRow = (
  tx: Executor,
  workspaceId: bigint,
  values: ColumnValues,
  parameters?: Readonly<Record<string, unknown>>,
) => Promise<ChangeRecord>;

interface Shown extends Readonly<Record<string, unknown>> {
  readonly after: string;
  readonly contact_id: bigint | null;
}

/** Makes the function that creates rows of one noun. @param rules the SQL that is specific to the noun */
export function insertionOf(table: Table<{ id: bigint }>, rules: ChangeRules): InsertRow {
  const made = memoize(async () => changeStatements(table, rules, LOCKED_ROW_RULES));
  const { resource } = table;
  return async (tx, workspaceId, { columns, json }, parameters = {}) => {
    const { insert, shown } = await made();
    const given = insert.parameters.map((name) => [name, columns[name.replace(/^new_/, '')] ?? null]);
    const place = { workspace_id: workspaceId, given: json, now: await timeOf(tx, table) };
    const ask = async <Row>({ text }: { text: string }, values: unknown[]) => {
      const [row] = await tx.$queryRawUnsafe<Row[]>(text, ...values);
      if (row === undefined) throw new TypeError(`No row of ${table.name} was created`);
      return row;
    };
    const values = { ...Object.fromEntries(given), ...place, ...parameters };
    const { id } = await ask<{ id: bigint }>(insert, valuesOf(insert, values));
    const row = await ask<Shown>(shown, valuesOf(shown, { ...place, id }));
    const { after, contact_id: contactId } = row;
    const happened = Object.keys(rules.events ?? {}).filter((name) => row[`has_${name}`] === true);
    return {
      ...{ workspaceId, resource, action: 'created', outcome: 'created', subjectId: id },
      ...{ contactId, before: null, after },
      events: ['created', ...happened]
        .filter((name) => isNotified(resource, name))
        .map((name) => ({ resource, name, subjectId: id, contactId, data: after })),
    };
  };
}
