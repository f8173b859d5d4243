// Deactivating an endpoint because of what came of its deliveries, with the event that tells its owner.
import { webhookEndpoint } from '../resources/webhook-endpoints.ts';
import { event, outbox, TOLD } from './changes/records.ts';
import { snapshot } from './changes/snapshots.ts';
import { bump } from './changes/statements.ts';
import { type Statement, statement } from './statements.ts';
import { query, type Store } from './store.ts';
import { WEBHOOK_ENDPOINTS } from './tables.ts';

/** Why: every attempt has failed for days, it answered 410, or whoever subscribed it may not see such events any more. */
export type Cause = 'failing' | 'gone' | 'unauthorized';

/** For so long, and so many attempts, nothing but failures: nobody is there any more. */
const FAILING_FOR = "interval '72 hours'";
const FAILED_ATTEMPTS = 20;

/**
 * Deactivates an endpoint that is active; one that fails only if it has for long enough.
 * @returns null where it stays as it is; else the endpoints that are to be told of it
 */
export async function deactivateBecause(
  db: Pick<Store, 'pool'>,
  { workspaceId, id }: { readonly workspaceId: bigint; readonly id: bigint },
  cause: Cause,
): Promise<readonly bigint[] | null> {
  const [answer] = await query<{ deactivated: boolean; told: bigint[] }>(db, deactivation(cause), [
    workspaceId,
    id,
  ]);
  return answer?.deactivated ? answer.told : null;
}

const HAS_FAILED_LONG = `c.failing_since < current_timestamp - ${FAILING_FOR} and ${FAILED_ATTEMPTS} = (select count(*) from (
      select from webhook_deliveries d join webhook_attempts a on a.workspace_id = d.workspace_id and a.delivery_id = d.id
      where d.workspace_id = c.workspace_id and d.endpoint_id = c.id and d.status in ('pending', 'failed') and d.attempt_count > 0
        and a.started_at >= c.failing_since limit ${FAILED_ATTEMPTS}) a)`;

function deactivation(cause: Cause): Statement {
  return statement(
    `webhook_endpoints.deactivate.${cause}`,
    () => `with t as (
      update webhook_endpoints c set deactivated_at = current_timestamp, deactivation_reason = '${cause}', ${bump('c')}
      where c.workspace_id = $1::bigint and c.id = $2::bigint and c.deactivated_at is null
        and ${cause === 'failing' ? HAS_FAILED_LONG : 'true'}
      returning c.*
    ), shown as (
      select t.workspace_id, t.id, null::bigint as contact_id, ${snapshot(webhookEndpoint, WEBHOOK_ENDPOINTS.columns)} as after from t
    ), ${outbox([event(webhookEndpoint, 'deactivated', 'after')])}
    select exists (select from t) as deactivated, ${TOLD}`,
  );
}
