// Hears of changes that other processes commit (migration notify_changes). While the connection that listens is down,
// nothing is heard, and `live` says so: whoever keeps copies must not use them then.
import pg from 'pg';
import type { Logger } from '../log.ts';

const CHANNEL = 'funnel_gateway_lookups';
const RETRY_MS = 1_000;

export interface Changes {
  /** True while every change is heard of. */
  readonly live: boolean;
  close(): Promise<void>;
}

interface ChangesOptions {
  readonly config: pg.ClientConfig;
  readonly log: Logger;
  /** Called after a change, and whenever changes may have been missed. */
  readonly onChange: () => void;
}

/** Starts listening in the background, and again after every loss. */
export function listenForChanges({ config, log, onChange }: ChangesOptions): Changes {
  let live = false;
  let closed = false;
  let client: pg.Client | null = null;
  let retry: NodeJS.Timeout | undefined;

  function lost(error: Error | undefined): void {
    if (closed || client === null) return;
    if (live) log.warn({ err: error }, 'not hearing of changes: keys and hosts are looked up every time');
    live = false;
    client = null;
    onChange();
    retry = setTimeout(start, RETRY_MS);
    retry.unref();
  }

  function start(): void {
    const mine = new pg.Client(config);
    client = mine;
    const gone = (error?: Error) => {
      if (client === mine) lost(error);
    };
    mine.on('error', gone);
    mine.on('end', () => gone());
    mine.on('notification', onChange);
    mine
      .connect()
      .then(() => mine.query(`listen ${CHANNEL}`))
      .then(() => {
        // What changed before this moment was not heard of.
        onChange();
        live = client === mine;
      })
      .catch((error: Error) => {
        gone(error);
        mine.end().catch(() => {});
      });
  }

  start();
  return {
    get live() {
      return live;
    },
    async close() {
      closed = true;
      live = false;
      clearTimeout(retry);
      await client?.end().catch(() => {});
    },
  };
}
