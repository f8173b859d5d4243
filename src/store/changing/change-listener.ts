// Listens for changes that other processes commit (LISTEN and NOTIFY, migration notify_changes). Caches must not be used while `live` is
// false. A successful LISTEN is not enough: a pooler in transaction mode accepts it and never delivers a notification. So a test
// notification is sent over another connection at regular intervals, and must arrive.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Logger } from '../../output/log.ts';
import { toReason } from '../connections/failures.ts';
import { protocolConnectionOf } from '../connections/rows-query.ts';
import type { Statement } from '../sql/statements.ts';
import type { Store } from '../store.ts';

const CHANNEL = 'funnel_gateway_lookups';
const RETRY_MS = 1_000;
const CHECK = { timeoutMs: 2_000, intervalMs: 10_000 };
const CLOSE_TIMEOUT_MS = 2_000;

const NOTIFY: Statement = { name: '', text: 'select pg_notify($1, $2)' };

export interface ChangeListener {
  /** Whether the connection receives every change. */
  readonly live: boolean;
  close(): Promise<void>;
}

interface ChangeListenerOptions {
  readonly store: Pick<Store, 'listening' | 'lookups'>;
  readonly log: Logger;
  /** The channel to listen on; absent: changes of keys and hosts. */
  readonly channel?: string;
  /** The warning to log while changes are not received. */
  readonly unheard?: string;
  /** Called after each change, with the payload of its notification. */
  readonly onChange: (payload: string) => void;
  /** Called when changes may have been missed or the database may have been restarted; absent: `onChange` is called, without a payload. */
  readonly onInterruption?: () => void;
  /** How long a test notification may take, and the interval between test notifications, also after a failure. */
  readonly check?: { readonly timeoutMs: number; readonly intervalMs: number };
}

/** A test notification did not arrive, although the connection is open. */
class NotDelivered extends Error {
  constructor() {
    super(
      'LISTEN was accepted, but notifications do not arrive: DATABASE_LISTEN_URL must lead to PostgreSQL itself, not to a pooler',
    );
  }
}

/** Starts listening in the background, and again after each loss of the connection. */
export function listenForChanges({
  store,
  log,
  channel: ownChannel = CHANNEL,
  unheard = 'changes are not received: keys and hosts are looked up every time',
  onChange,
  onInterruption = () => onChange(''),
  check = CHECK,
}: ChangeListenerOptions): ChangeListener {
  const checkChannel = `funnel_gateway_check_${randomUUID().replaceAll('-', '')}`;
  let live = false;
  let closed = false;
  let hasWarned = false;
  let client: pg.Client | null = null;
  let next: NodeJS.Timeout | undefined;
  /** The payload of the pending test notification, and the function to call when it arrives. */
  let pending: { payload: string; onArrival: () => void } | null = null;

  function schedule(work: () => void, ms: number): void {
    next = setTimeout(work, ms);
    next.unref();
  }

  function lost(error: Error | undefined): void {
    if (closed || client === null) return;
    if (!hasWarned) log.warn({ reason: toReason(error) }, unheard);
    hasWarned = true;
    live = false;
    protocolConnectionOf(client).stream.destroy();
    client = null;
    clearTimeout(next);
    onInterruption();
    schedule(start, error instanceof NotDelivered ? check.intervalMs : RETRY_MS);
  }

  /** Sends a notification over another connection, and waits until it arrives on this one. */
  async function checkDelivery(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    pending = { payload: randomUUID(), onArrival: resolve };
    await store.lookups.read(NOTIFY, [checkChannel, pending.payload]);
    const timer = setTimeout(() => reject(new NotDelivered()), check.timeoutMs);
    await promise.finally(() => clearTimeout(timer));
  }

  function start(): void {
    const ownClient = new pg.Client(store.listening);
    client = ownClient;
    const onLost = (error?: Error) => {
      if (client === ownClient) lost(error);
    };
    const checkAgain = () => {
      checkDelivery().then(() => schedule(checkAgain, check.intervalMs), onLost);
    };
    ownClient.on('error', onLost);
    ownClient.on('end', () => onLost());
    ownClient.on('notification', ({ channel, payload }) => {
      if (channel !== checkChannel) onChange(payload ?? '');
      else if (payload === pending?.payload) pending?.onArrival();
    });
    ownClient
      .connect()
      .then(() => ownClient.query(`listen ${ownChannel}; listen ${checkChannel}`))
      .then(checkDelivery)
      .then(() => {
        if (client !== ownClient) return;
        // Notifications of changes made before LISTEN were not received.
        onInterruption();
        live = true;
        hasWarned = false;
        schedule(checkAgain, check.intervalMs);
      })
      .catch(onLost);
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
      const timer = setTimeout(
        () => client && protocolConnectionOf(client).stream.destroy(),
        CLOSE_TIMEOUT_MS,
      );
      await client?.end().catch(() => {});
      clearTimeout(timer);
    },
  };
}
