// Whether transactions delay new rows in lists.
import type { App } from '../../context.ts';
import { findHeldLists, LONG_SECONDS } from '../../services/reading/held-lists.ts';
import { type Finding, findingsOf } from './findings.ts';

const { ok, warn } = findingsOf('lists');

/** A finding for each transaction that has delayed lists for long. */
export async function checkHeldLists(app: Pick<App, 'store'>): Promise<Finding[]> {
  const held = await findHeldLists(app);
  if (held.length === 0) return [ok(`no transaction has delayed lists for ${LONG_SECONDS} seconds`)];
  return held.map(({ pid, application, user, seconds, tables, rows, isOwn }) =>
    warn(
      `${application || 'a session without a name'} (${pid === null ? 'prepared transaction' : `process ${pid}`}, user ${user}) has been in a transaction for ${seconds} seconds: lists of ${tables.join(', ')} end before its rows, and up to ${rows} rows are not listed yet`,
      isOwn
        ? 'a gateway ends it'
        : pid === null
          ? 'commit prepared or rollback prepared'
          : `let it commit, or end it: select pg_terminate_backend(${pid})`,
    ),
  );
}
