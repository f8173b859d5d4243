// Whether this process can serve, and which transactions delay its lists. Load balancers call it, so it needs no credentials and reveals
// no data.
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { toStoreError } from '../store/connections/failures.ts';
import { isReadOnly } from '../store/inspection/server-facts.ts';
import { isTooNew, migrationState } from '../store/migrations/migrations.ts';
import { findHeldLists, toHolderNotice } from './reading/held-lists.ts';

/** The report of a process that can serve. */
type Readiness = Awaited<ReturnType<typeof askStore>>;

/** How long a result is reused. Load balancers ask less often than this; unauthenticated clients may ask as often as they like. */
const REMEMBERED_MS = 250;

/** A result, or the check that is running; `until` is set when the check ends. */
interface Finding {
  readonly answer: Promise<Readiness>;
  until: number;
}

/** The latest result for each store. However many requests ask, only one check runs at a time. */
const findings = new WeakMap<App['store'], Finding>();

/**
 * What the process can do, or could do a moment ago. A read-only database still serves reads, so it counts as ready.
 * @throws AppError `unavailable` while the database cannot be reached, migrations are missing, or the database is too new for this
 *   version
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

async function askStore(store: App['store']) {
  const [state, readOnly] = await Promise.all([migrationState(store.pool), isReadOnly(store.pool)]).catch(
    (error: unknown) => {
      throw toStoreError(error);
    },
  );
  const { pending, failed } = state;
  if (pending.length + failed.length > 0) {
    throw new AppError('unavailable', 'Migrations are not applied yet. Try again shortly.', {
      retryAfterSeconds: 5,
    });
  }
  if (isTooNew(state)) {
    const message =
      'The database was migrated by a newer version of the gateway, and this version is not compatible with it.';
    throw new AppError('unavailable', message, { retryAfterSeconds: 5 });
  }
  const held = await findHeldLists({ store });
  const replicas = store.replicas?.readings().map(({ state, lagMs }) => {
    return { state, lagMs: lagMs === null ? null : Math.round(lagMs) };
  });
  return {
    status: 'ready' as const,
    /** Changes are refused. Absent: they are accepted. */
    ...(readOnly && { database: 'read-only' as const }),
    /** Transactions that delay new rows in lists. Absent: none has run for long. */
    ...(held.length > 0 && { listsHeldBy: held.map(toHolderNotice) }),
    /** The state of each replica, in the configured order, but not where it is: this needs no credentials. Absent: there are none. */
    ...(replicas !== undefined && { replicas }),
  };
}
