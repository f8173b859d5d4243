// Whether this process can serve, and what holds its lists up. Load balancers ask, so it needs no key and reveals nothing of the data.
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { toStoreError } from '../store/connections/failures.ts';
import { isReadOnly } from '../store/inspection/server-facts.ts';
import { isTooNew, migrationState } from '../store/migrations/migrations.ts';
import { findHeldLists, type HolderNotice, toHolderNotice } from './held-lists.ts';

/** What a process that can serve says of itself. */
export interface Readiness {
  readonly status: 'ready';
  /** Changes are refused; absent: they are made. */
  readonly database?: 'read-only';
  /** The transactions that lists end before; absent: none has been under way for long. */
  readonly listsHeldBy?: readonly HolderNotice[];
  /** Whether they are read, in the order in which they are configured: anybody may ask, so it does not say where. Absent: there are none. */
  readonly replicas?: readonly {
    readonly state: string;
    readonly lagMs: number | null;
  }[];
}

/** How long a finding is told to those who ask behind it: balancers ask less often, and strangers as often as they like. */
const REMEMBERED_MS = 250;

/** A finding, or the check that is under way; `until` when it is told. */
interface Finding {
  readonly answer: Promise<Readiness>;
  until: number;
}

/** The newest finding for each store: however many requests ask, one check at a time is under way. */
const findings = new WeakMap<App['store'], Finding>();

/**
 * What the process can do, or could a moment ago. A database that is read-only is no reason to send reads elsewhere.
 * @throws AppError `unavailable` while the database is away, migrations are missing, or the store is too new for this version
 */
export function readiness({ store }: App): Promise<Readiness> {
  const known = findings.get(store);
  if (known !== undefined && performance.now() < known.until) return known.answer;
  const finding: Finding = { answer: askStore(store), until: Number.POSITIVE_INFINITY };
  findings.set(store, finding);
  const keep = () => {
    finding.until = performance.now() + REMEMBERED_MS;
  };
  finding.answer.then(keep, keep);
  return finding.answer;
}

async function askStore(store: App['store']): Promise<Readiness> {
  const [state, readOnly] = await Promise.all([migrationState(store.pool), isReadOnly(store.pool)]).catch(
    (error: unknown) => {
      throw toStoreError(error);
    },
  );
  const { pending, failed } = state;
  if (pending.length + failed.length > 0) {
    throw new AppError('unavailable', 'Migrations are not applied yet.', { retryAfterSeconds: 5 });
  }
  if (isTooNew(state)) {
    const message =
      'The database was migrated by a newer version of the gateway, which this one cannot live with.';
    throw new AppError('unavailable', message, { retryAfterSeconds: 5 });
  }
  const held = await findHeldLists({ store });
  const replicas = store.replicas?.readings().map(({ state, lagMs }) => {
    return { state, lagMs: lagMs === null ? null : Math.round(lagMs) };
  });
  return {
    status: 'ready',
    ...(readOnly && { database: 'read-only' }),
    ...(held.length > 0 && { listsHeldBy: held.map(toHolderNotice) }),
    ...(replicas !== undefined && { replicas }),
  };
}
