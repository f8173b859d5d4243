// Deliveries of any team, as the operator lists them and makes them due again. A workspace's audit trail records only what its clients
// do, so it does not record this.
import type { App } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { webhookEndpoint } from '../../resources/webhook-endpoints.ts';
import { withTransaction } from '../../store/changing/transactions.ts';
import { findPageUnder } from '../../store/reading/pages.ts';
import { parseId } from '../../store/sql/public-ids.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { webhookDeliveryTable } from '../../store/tables/webhook-deliveries.ts';
import {
  findTenancyOf,
  lockDelivery,
  makeDue,
  makeFailedDue,
} from '../../store/webhooks/webhook-deliveries.ts';
import { parseFilters } from '../filtering/filters.ts';
import { DELIVERY_STATUSES, type WebhookDeliveryRow } from '../webhooks/webhook-deliveries.ts';
import {
  lockActiveEndpoint,
  MAX_REDELIVERED,
  parseRedelivery,
  redeliveryFault,
  throwIfRefused,
} from '../webhooks/webhook-redelivery.ts';

const WEBHOOK_DELIVERIES = tableOf(webhookDeliveryTable);
const WEBHOOK_ENDPOINTS = tableOf(webhookEndpoint);

export { DELIVERY_STATUSES, type WebhookDeliveryRow };

/** The newest deliveries of an endpoint, the newest first. @throws AppError `not_found`, `invalid` for the status */
export async function list(
  app: App,
  endpoint: string,
  { status, limit }: { readonly status?: string | undefined; readonly limit: number },
): Promise<readonly WebhookDeliveryRow[]> {
  const given = status === undefined ? {} : { status: [status] };
  const filter = parseFilters(WEBHOOK_DELIVERIES.resource, given, (property) => property);
  const { id, tenancy } = await requireNamed(app, WEBHOOK_ENDPOINTS, endpoint);
  const page = await findPageUnder(app, WEBHOOK_DELIVERIES, tenancy, id, {
    ...{ order: 'desc', size: limit, after: null, before: null, backward: false, rowsOnly: true, filter },
  });
  if (page === null) throw notFound(WEBHOOK_ENDPOINTS.title);
  return page.rows;
}

/**
 * Makes one delivery due again, now.
 * @throws AppError `not_found`; `conflict` when it is pending, its endpoint is deactivated, or its event's data is gone
 */
export async function redeliver(app: App, delivery: string): Promise<void> {
  const { id, tenancy } = await requireNamed(app, WEBHOOK_DELIVERIES, delivery);
  const endpointId = await withTransaction(app, async (tx) => {
    const found = await lockDelivery(tx, tenancy, id);
    if (found === null) throw notFound(WEBHOOK_DELIVERIES.title);
    throwIfRefused(redeliveryFault(found));
    await makeDue(tx, found.workspaceId, id);
    return found.endpointId;
  });
  app.store.deliveries.wake(endpointId);
}

/**
 * Makes an endpoint's failed deliveries since a time due again.
 * @param onDue called with the number that is due again so far; these stay due, even if this call then fails
 * @returns how many
 * @throws AppError `not_found`, `invalid` for the time; `conflict` when the endpoint is deactivated
 */
export async function redeliverFailed(
  app: App,
  endpoint: string,
  time: string,
  onDue: (count: number) => void,
): Promise<number> {
  const { since } = parseRedelivery({ members: { since: time }, nameOf: (property) => property });
  const { id: endpointId, tenancy } = await requireNamed(app, WEBHOOK_ENDPOINTS, endpoint);
  let count = 0;
  for (let hasMore = true; hasMore; ) {
    const made = await withTransaction(app, async (tx) => {
      const workspaceId = await lockActiveEndpoint(tx, tenancy, endpointId);
      return makeFailedDue(tx, { workspaceId, endpointId, since, most: MAX_REDELIVERED });
    });
    count += made.count;
    onDue(count);
    ({ hasMore } = made);
  }
  app.store.deliveries.wake(endpointId);
  return count;
}

/** Resolves an id or a public id, and finds the tenant that owns it. */
async function requireNamed(
  app: App,
  { name, title }: typeof WEBHOOK_ENDPOINTS | typeof WEBHOOK_DELIVERIES,
  ref: string,
): Promise<{ id: bigint; tenancy: Tenancy }> {
  const id = parseId(name, ref);
  const table = name === 'webhook_deliveries' ? name : 'webhook_endpoints';
  const tenancy = id === null ? null : await findTenancyOf(app.store, table, id);
  if (id === null || tenancy === null) throw notFound(title);
  return { id, tenancy: await app.store.placement.nameWorkspaces(tenancy) };
}
