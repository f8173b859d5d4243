// Counts the SQL statements of a request, those that find out who asks left out.
import type { Gateway } from './gateway.ts';

/** The names of the statements that `work` sends through the pool. */
export async function statementsOf(gateway: Gateway, work: () => Promise<unknown>): Promise<string[]> {
  const { pool } = gateway.app.store;
  const original = pool.query;
  const names: string[] = [];
  pool.query = ((...args: [{ name?: string }]) => {
    names.push(args[0].name ?? 'unnamed');
    return Reflect.apply(original, pool, args);
  }) as typeof pool.query;
  try {
    await work();
  } finally {
    pool.query = original;
  }
  return names.filter((name) => !/^(hosts|api_keys)\./.test(name));
}
