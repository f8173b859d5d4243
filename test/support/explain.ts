// Explains the statements by which the gateway reads, with PostgreSQL's plans on a reading connection.
import pg from 'pg';
import type { Executor } from '../../src/store/connections/executor.ts';
import { PLAN_SETTINGS } from '../../src/store/pipelining/session.ts';
import type { Statement } from '../../src/store/sql/statements.ts';
import type { Store } from '../../src/store/store.ts';
import type { Gateway } from './gateway.ts';

/** A node of a plan (PostgreSQL manual, EXPLAIN). */
export interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: Node[];
}

/** A connection with the settings of a reading connection. The caller must end it. */
export async function planningClient({ app }: Gateway): Promise<pg.Client> {
  const client = new pg.Client(app.store.connection);
  await client.connect();
  // Beside other tests, the many rows that it inserts take their time.
  await client.query(`${PLAN_SETTINGS}; set statement_timeout = 0`);
  return client;
}

/** The plans of the statements that `work` reads with, each as a list of nodes. */
export async function plansOf(
  { app: { store } }: Gateway,
  client: pg.Client,
  work: (store: Store) => Promise<unknown>,
): Promise<Node[][]> {
  const sent: [Statement, unknown[]][] = [];
  const watch = (readers: Store['readers']): Store['readers'] =>
    Object.assign(Object.create(readers), {
      read(statement: Statement, values: unknown[], owner: bigint) {
        sent.push([statement, values]);
        return readers.read(statement, values, owner);
      },
    });
  await work({ ...store, readers: watch(store.readers), scans: watch(store.scans) });
  const plans: Node[][] = [];
  for (const [statement, values] of sent) {
    await client.query(`deallocate all; prepare planned as ${statement.text}`);
    plans.push(await planOf(client, 'planned', values));
  }
  return plans;
}

/** Executes a prepared statement, and returns its plan. */
export async function planOf(client: pg.Client, prepared: string, values: unknown[]): Promise<Node[]> {
  const { rows } = await client.query(
    `explain (analyze, buffers, format json) execute ${prepared}(${values.map(literal)})`,
  );
  return flatten(rows[0]['QUERY PLAN'][0].Plan);
}

/** The first statement that a step of a change sends, and its values. It executes nothing. */
export function firstStatementOf(work: (tx: Executor) => Promise<unknown>): Promise<[string, unknown[]]> {
  return new Promise((resolve, reject) => {
    const unanswered = (text: string, ...values: unknown[]) => {
      resolve([text, values]);
      return new Promise<never>(() => {});
    };
    work({ $queryRawUnsafe: unanswered, $executeRawUnsafe: unanswered }).catch(reject);
  });
}

function literal(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof Date) return `'${value.toISOString()}'`;
  return Array.isArray(value) ? `'{${value}}'` : `'${value}'`;
}

function flatten(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}
