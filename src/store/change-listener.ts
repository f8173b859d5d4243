// Hears of changes that other processes commit (migration notify_changes). While nothing can be heard, `live` says so:
// whoever keeps copies must not use them then. That nothing comes is no proof of anything: a pooler in transaction mode takes
// LISTEN and never hands a notification on. So the connection has to hear what is said for it over another one.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Logger } from '../log.ts';
import { connectionOf } from './readers/rows-query.ts';
import type { Statement } from './statements.ts';
import type { Store } from './store.ts';

const CHANNEL = 'funnel_gateway_lookups';
const RETRY_MS = 1_000;
const PROOF = { timeoutMs: 2_000, everyMs: 10_000 };
const CLOSE_TIMEOUT_MS = 2_000;

const SAY: Statement = { name: '', text: 'select pg_notify($1, $2)' };

export interface Changes {
  /** True while every change is heard of. */
  readonly live: boolean;
  close(): Promise<void>;
}

interface ChangesOptions {
  readonly store: Pick<Store, 'listening' | 'lookups'>;
  readonly log: Logger;
  /** Called after a change, and whenever changes may have been missed. */
  readonly onChange: () => void;
  /** How long what was said may take to be heard, and how often that is tried, also after it failed. */
  readonly proof?: { readonly timeoutMs: number; readonly everyMs: number };
}

/** What is said arrives nowhere, though the connection is there. */
class Deaf extends Error {
  constructor() {
    super(
      'LISTEN was accepted, but notifications do not arrive: DATABASE_LISTEN_URL must lead to PostgreSQL itself, not to a pooler',
    );
  }
}

/** Starts listening in the background, and again after every loss. */
export function listenForChanges({ store, log, onChange, proof: times = PROOF }: ChangesOptions): Changes {
  const proofChannel = `funnel_gateway_proof_${randomUUID().replaceAll('-', '')}`;
  let live = false;
  let closed = false;
  let hasWarned = false;
  let client: pg.Client | null = null;
  let next: NodeJS.Timeout | undefined;
  /** What has to be heard, and whom to tell. */
  let proof: { said: string; heard: () => void } | null = null;

  function later(work: () => void, ms: number): void {
    next = setTimeout(work, ms);
    next.unref();
  }

  function lost(error: Error | undefined): void {
    if (closed || client === null) return;
    if (!hasWarned)
      log.warn({ err: error }, 'not hearing of changes: keys and hosts are looked up every time');
    hasWarned = true;
    live = false;
    connectionOf(client).stream.destroy();
    client = null;
    clearTimeout(next);
    onChange();
    later(start, error instanceof Deaf ? times.everyMs : RETRY_MS);
  }

  /** Says something over another connection, and waits until this one hears it. */
  async function prove(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    proof = { said: randomUUID(), heard: resolve };
    await store.lookups.read(SAY, [proofChannel, proof.said]);
    const tooLate = setTimeout(() => reject(new Deaf()), times.timeoutMs);
    await promise.finally(() => clearTimeout(tooLate));
  }

  function start(): void {
    const mine = new pg.Client(store.listening);
    client = mine;
    const gone = (error?: Error) => {
      if (client === mine) lost(error);
    };
    const proveAgain = () => {
      prove().then(() => later(proveAgain, times.everyMs), gone);
    };
    mine.on('error', gone);
    mine.on('end', () => gone());
    mine.on('notification', ({ channel, payload }) => {
      if (channel !== proofChannel) onChange();
      else if (payload === proof?.said) proof?.heard();
    });
    mine
      .connect()
      .then(() => mine.query(`listen ${CHANNEL}; listen ${proofChannel}`))
      .then(prove)
      .then(() => {
        if (client !== mine) return;
        // What changed before this moment was not heard of.
        onChange();
        live = true;
        hasWarned = false;
        later(proveAgain, times.everyMs);
      })
      .catch(gone);
  }

  start();
  return {
    get live() {
      return live;
    },
    async close() {
      closed = true;
      live = false;
      clearTimeout(next);
      const last = setTimeout(() => client && connectionOf(client).stream.destroy(), CLOSE_TIMEOUT_MS);
      await client?.end().catch(() => {});
      clearTimeout(last);
    },
  };
}
