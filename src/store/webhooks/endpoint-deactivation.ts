// Deactivates an endpoint because of its deliveries' outcomes, and writes the event that notifies its owner.
import { webhookEndpoint } from '../../resources/webhook-endpoints.ts';
import { writeOutbox } from '../changing/record.ts';
import { findSnapshots } from '../changing/snapshots.ts';
import { inTransaction } from '../connections/executor.ts';
import type { Store } from '../store.ts';
import { tableOf } from '../tables/tables.ts';
import type { DueEndpoint } from './deliveries-due.ts';
import type { Cause } from './ended-endpoints.ts';
import { deactivateEndpoint } from './webhook-endpoints.ts';

const WEBHOOK_ENDPOINTS = tableOf(webhookEndpoint);

/** An endpoint counts as failing after this time, and this number of attempts, without a success. */
export const FAILING_HOURS = 72;
const FAILING_FOR = `interval '${FAILING_HOURS} hours'`;
const FAILED_ATTEMPTS = 20;

/** The endpoint as it was when the cause was found. If its URL or subscriber has changed since, the cause no longer applies. */
type Found = Pick<DueEndpoint, 'workspaceId' | 'id' | 'url' | 'actorKind' | 'actorId' | 'clientId'>;

const HAS_FAILED_LONG = `c.failing_since < current_timestamp - ${FAILING_FOR} and ${FAILED_ATTEMPTS} = (select count(*) from (
      select from webhook_deliveries d join webhook_attempts a on a.workspace_id = d.workspace_id and a.delivery_id = d.id
      where d.workspace_id = $1::bigint and d.endpoint_id = $2::bigint and d.status in ('pending', 'failed') and d.attempt_count > 0
        and a.started_at >= c.failing_since limit ${FAILED_ATTEMPTS}) a)`;

/** SQL: whether the endpoint is active and unchanged since it was found. */
function isAsFound(cause: Cause): string {
  return `c.workspace_id = $1::bigint and c.id = $2::bigint and c.deactivated_at is null
    and (c.url, c.actor_kind, c.actor_id, c.client_id) is not distinct from ($3::text, $4::text, $5::text, $6::text)
    and ${cause === 'failing' ? HAS_FAILED_LONG : 'true'}`;
}

/**
 * Deactivates an endpoint that is active and unchanged since it was found; for `failing`, only if it has failed long enough.
 * @returns null if it was not deactivated; otherwise the endpoints to notify of it
 */
export function deactivateBecause(
  db: Pick<Store, 'pool'>,
  { workspaceId, id, url, actorKind, actorId, clientId }: Found,
  cause: Cause,
): Promise<readonly bigint[] | null> {
  return inTransaction(db.pool, async (tx) => {
    await tx.$queryRawUnsafe(
      'select c.id from webhook_endpoints c where c.workspace_id = $1::bigint and c.id = $2::bigint for update of c',
      workspaceId,
      id,
    );
    const asFound = await tx.$queryRawUnsafe<object[]>(
      `select c.id from webhook_endpoints c where ${isAsFound(cause)}`,
      ...[workspaceId, id, url, actorKind, actorId, clientId],
    );
    if (asFound.length === 0) return null;
    await deactivateEndpoint(tx, workspaceId, id, cause);
    const [data] = await findSnapshots(tx, WEBHOOK_ENDPOINTS, workspaceId, [id]);
    const events = [{ resource: webhookEndpoint, name: 'deactivated', subjectId: id, data: data ?? 'null' }];
    const { endpoints } = await writeOutbox(tx, { workspaceId, contactId: null, events });
    return endpoints;
  });
}
