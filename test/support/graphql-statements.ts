// Counts the SQL statements of a request, those that find out who asks left out.
import type { Gateway } from './gateway.ts';

/** The names of the statements that `work` sends, by the pool and by the reading connections. */
export async function statementsOf(gateway: Gateway, work: () => Promise<unknown>): Promise<string[]> {
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
  return names.filter((name) => !/^(hosts|api_keys)\./.test(name));
}

/** Puts `watch` before every named statement, until the function that it returns is called. */
export function intercept(
  gateway: Gateway,
  watch: (name: string, send: () => Promise<unknown>) => Promise<unknown>,
): () => void {
  const { pool, readers } = gateway.app.store;
  const { query } = pool;
  const { read } = readers;
  const watched =
    (target: object, send: (...args: never[]) => unknown) =>
    (...args: [{ name?: string }, ...unknown[]]) =>
      watch(args[0].name ?? 'unnamed', async () => Reflect.apply(send, target, args));
  pool.query = watched(pool, query) as typeof query;
  Object.assign(readers, { read: watched(readers, read) });
  return () => {
    pool.query = query;
    Object.assign(readers, { read });
  };
}
