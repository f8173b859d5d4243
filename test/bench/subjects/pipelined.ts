// Statements of node-postgres as it is, sent as the gateway sends its reads: over a few connections, each shared by many
// requests, without waiting for earlier answers. Rows are parsed by the driver.
import type { Socket } from 'node:net';
import pg from 'pg';
import type { Query } from './limit-pages.ts';

interface PipelineOptions {
  readonly connectionString: string | undefined;
  readonly connections: number;
  /** SQL that each connection begins with. */
  readonly settings: string;
}

/** Opens the connections. Each statement goes to the one with the fewest under way. */
export async function createPipelinedQuery(options: PipelineOptions): Promise<Query> {
  const { connectionString, connections, settings } = options;
  const open = async () => {
    const client = new pg.Client({ connectionString, pipeline: true } as pg.ClientConfig);
    await client.connect();
    await client.query(settings);
    return { client, pending: 0 };
  };
  const all = await Promise.all(Array.from({ length: connections }, open));
  return async (config) => {
    const least = all.reduce((a, b) => (b.pending < a.pending ? b : a));
    least.pending += 1;
    holdUntilTurnEnds(least.client);
    try {
      return await least.client.query(config);
    } finally {
      least.pending -= 1;
    }
  };
}

/** What one turn of the event loop sends leaves in one system call. */
function holdUntilTurnEnds(client: pg.Client): void {
  const { stream } = (client as pg.Client & { connection: { stream: Socket } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
