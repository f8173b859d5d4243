// Deliveries as the operator sees them and makes them due again, whosever they are. The audit trail of a workspace is of what its
// clients do: it has nothing of this.
import type { App } from '../../context.ts';
import { AppError, invalid, notFound } from '../../errors.ts';
import {
  DELIVERY_STATUSES,
  redeliveryFields,
  type WebhookDeliveryRow,
} from '../../resources/webhook-deliveries.ts';
import { parseId } from '../../store/public-ids.ts';
import { findPageUnder } from '../../store/rows.ts';
import { WEBHOOK_DELIVERIES, WEBHOOK_ENDPOINTS } from '../../store/tables.ts';
import type { Tenancy } from '../../store/tenancy.ts';
import { withTransaction } from '../../store/transactions.ts';
import {
  findEndpoint,
  findTenancyOf,
  lockDelivery,
  makeDue,
  makeFailedDue,
} from '../../store/webhook-deliveries.ts';
import { parseFields } from '../parse-fields.ts';
import { DEACTIVATED, MAX_REDELIVERED, whyNot } from '../webhook-redelivery.ts';

/** The newest deliveries of an endpoint, the newest first. @throws AppError `not_found`, `invalid` for the status */
export async function list(
  app: App,
  endpoint: string,
  { status, limit }: { readonly status?: string | undefined; readonly limit: number },
): Promise<readonly WebhookDeliveryRow[]> {
  if (status !== undefined && !(DELIVERY_STATUSES as readonly string[]).includes(status))
    throw invalid('status', `status must be ${DELIVERY_STATUSES.join(' or ')}.`);
  const { id, tenancy } = await requireNamed(app, WEBHOOK_ENDPOINTS, endpoint);
  const page = await findPageUnder(app, WEBHOOK_DELIVERIES, tenancy, id, {
    ...{ order: 'desc', size: limit, after: null, before: null, backward: false, rowsOnly: true },
    ...(status !== undefined && { filter: { status: [status] } }),
  });
  if (page === null) throw notFound(WEBHOOK_ENDPOINTS.title);
  return page.rows;
}

/**
 * Makes one delivery due again, now.
 * @throws AppError `not_found`; `conflict` where it is pending, its endpoint deactivated, or its event's data gone
 */
export async function redeliver(app: App, delivery: string): Promise<void> {
  const { id, tenancy } = await requireNamed(app, WEBHOOK_DELIVERIES, delivery);
  const endpointId = await withTransaction(app, async (tx) => {
    const found = await lockDelivery(tx, tenancy, id);
    if (found === null) throw notFound(WEBHOOK_DELIVERIES.title);
    requireNone(whyNot(found));
    await makeDue(tx, found.workspaceId, id);
    return found.endpointId;
  });
  app.store.deliveries.announce([endpointId]);
}

/**
 * Makes due again what has failed at an endpoint since a moment.
 * @returns how many
 * @throws AppError `not_found`, `invalid` for the moment; `conflict` where the endpoint is deactivated
 */
export async function redeliverFailed(app: App, endpoint: string, time: string): Promise<number> {
  const input = { members: { since: time }, nameOf: () => 'since' };
  const { since = new Date(0) } = parseFields(redeliveryFields, input, 'creation');
  const { id: endpointId, tenancy } = await requireNamed(app, WEBHOOK_ENDPOINTS, endpoint);
  let count = 0;
  for (let hasMore = true; hasMore; ) {
    const made = await withTransaction(app, async (tx) => {
      const found = await findEndpoint(tx, tenancy, endpointId);
      if (found === null) throw notFound(WEBHOOK_ENDPOINTS.title);
      requireNone(found.isActive ? null : DEACTIVATED);
      const { workspaceId } = found;
      return makeFailedDue(tx, { workspaceId, endpointId, since, most: MAX_REDELIVERED });
    });
    count += made.count;
    ({ hasMore } = made);
  }
  app.store.deliveries.announce([endpointId]);
  return count;
}

function requireNone(refusal: string | null): void {
  if (refusal !== null) throw new AppError('conflict', refusal);
}

/** What an id or a public id names, and whose it is. */
async function requireNamed(
  app: App,
  { name, title }: typeof WEBHOOK_ENDPOINTS | typeof WEBHOOK_DELIVERIES,
  ref: string,
): Promise<{ id: bigint; tenancy: Tenancy }> {
  const id = parseId(name, ref);
  const table = name === 'webhook_deliveries' ? name : 'webhook_endpoints';
  const tenancy = id === null ? null : await findTenancyOf(app.store, table, id);
  if (id === null || tenancy === null) throw notFound(title);
  return { id, tenancy };
}
