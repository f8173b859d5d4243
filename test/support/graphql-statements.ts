// Counts the SQL statements of a request, without those that authenticate it, and those that a process sends once.

import { READERS } from '../../src/store/connections/connection-counts.ts';
import { SCANS } from '../../src/store/connections/queues.ts';
import type { NamedStatement, Values } from '../../src/store/sql/statements.ts';
import type { Gateway } from './gateway.ts';

/** The names of the statements that `work` sends, by the pool and by the reading connections. */
export async function statementsOf(gateway: Gateway, work: () => Promise<unknown>): Promise<string[]> {
  await settle(gateway);
  const names: string[] = [];
  const stop = intercept(gateway, (name, send) => {
    names.push(name);
    return send();
  });
  try {
    await work();
  } finally {
    stop();
  }
  return names.filter((name) => !/^(hosts|api_keys|row_owners|tenant|placement)\.|\.sweep$/.test(name));
}

/** Waits until every reading connection is open, and the high-water marks include all rows that were made so far. */
async function settle({ app: { store } }: Gateway): Promise<void> {
  const { readers, lookups, scans, highWaterMarks } = store;
  const counts = [
    [readers, READERS],
    [lookups, 2],
    [scans, SCANS],
  ] as const;
  const ping = { name: '', text: 'select $1::int' };
  await Promise.all(
    counts.flatMap(([target, count]) => Array.from({ length: count }, () => target.read(ping, [1]))),
  );
  await highWaterMarks.after(highWaterMarks.asked());
}

/** Calls `watch` before every named statement, with its values by the names of its parameters, until the returned function is called. */
export function intercept(
  gateway: Pick<Gateway, 'app'>,
  watch: (
    name: string,
    send: () => Promise<unknown>,
    values: Values,
    signal: AbortSignal | undefined,
  ) => Promise<unknown>,
): () => void {
  const { pool, readers, lookups, scans } = gateway.app.store;
  const { query } = pool;
  const watched =
    (target: object, send: (...args: never[]) => unknown) =>
    (...args: [Partial<NamedStatement>, values?: unknown[], tenantId?: unknown, signal?: AbortSignal]) => {
      const [{ name = 'unnamed', parameters = [] }, values, , signal] = args;
      const byName = Object.fromEntries(parameters.map((parameter, index) => [parameter, values?.[index]]));
      return watch(name, async () => Reflect.apply(send, target, args), byName, signal);
    };
  const undo = [readers, lookups, scans].map((target) => {
    const { read } = target;
    Object.assign(target, { read: watched(target, read) });
    return () => Object.assign(target, { read });
  });
  pool.query = watched(pool, query) as typeof query;
  return () => {
    pool.query = query;
    for (const restore of undo) restore();
  };
}

/** Delays statements of one name before they are sent. Returns a function that releases them. */
export function holdUp(gateway: Gateway, held: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = intercept(gateway, async (name, send) => {
    if (name === held) await promise;
    return send();
  });
  return () => {
    stop();
    resolve();
  };
}
