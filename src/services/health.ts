// Whether this process can serve, and which transactions delay its lists. Load balancers call it, so it needs no credentials and reveals
// no data.
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { toStoreError } from '../store/connections/failures.ts';
import { hasDemo } from '../store/demo/has-demo.ts';
import { isReadOnly } from '../store/inspection/server-facts.ts';
import { isTooNew, migrationState } from '../store/migrations/migrations.ts';
import { findHeldLists, toHolderNotice } from './reading/held-lists.ts';

/** The report of a process that can serve. */
type Readiness = Awaited<ReturnType<typeof checkStore>>;

/** How long a result is reused. Load balancers ask less often than this; unauthenticated clients may ask as often as they like. */
const REMEMBERED_MS = 250;

/** A result, or the check that is running; `until` is set when the check ends. */
interface CheckResult<T> {
  readonly answer: Promise<T>;
  until: number;
}

/** Keeps the latest result for each store for a while. However many requests ask, only one check runs at a time. */
function remember<T>(check: (store: App['store']) => Promise<T>): (store: App['store']) => Promise<T> {
  const results = new WeakMap<App['store'], CheckResult<T>>();
  return (store) => {
    const cached = results.get(store);
    if (cached !== undefined && performance.now() < cached.until) return cached.answer;
    const result: CheckResult<T> = { answer: check(store), until: Number.POSITIVE_INFINITY };
    results.set(store, result);
    const startExpiry = () => {
      result.until = performance.now() + REMEMBERED_MS;
    };
    result.answer.then(startExpiry, startExpiry);
    return result.answer;
  };
}

const checkedStore = remember(checkStore);
const findDemo = remember(hasDemo);

/**
 * What the process can do, or could do a moment ago. A read-only database still serves reads, so it counts as ready.
 * @throws AppError `unavailable` while the database cannot be reached, migrations are missing, or the database is too new for this
 *   version
 */
export function readiness({ store }: App): Promise<Readiness> {
  return checkedStore(store);
}

/** What the first page says: whether the process can serve, and whether its data is the demo's. */
export interface Condition {
  /** Why it cannot serve; null if it can. */
  readonly problem: string | null;
  readonly isDemo: boolean;
}

/** The condition of the process. Never rejects. */
export async function findCondition(app: App): Promise<Condition> {
  try {
    await readiness(app);
    return { problem: null, isDemo: await findDemo(app.store) };
  } catch (error) {
    const problem = error instanceof AppError ? error.message : 'An unexpected error, which is in the log.';
    return { problem, isDemo: false };
  }
}

async function checkStore(store: App['store']) {
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
