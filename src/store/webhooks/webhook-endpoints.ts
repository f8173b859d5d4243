// The SQL that is specific to webhook endpoints: their secrets, their subscribers, and changes that are not made through fields.
import { MAX_ENDPOINTS, webhookEndpoint } from '../../resources/webhook-endpoints.ts';
import { lockRow } from '../changing/lock-row.ts';
import { queryAs } from '../changing/pipeline.ts';
import { timeOf, versionColumns } from '../changing/records.ts';
import type { ChangeRules } from '../changing/rules.ts';
import type { Executor } from '../connections/executor.ts';
import { statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import { tableOf } from '../tables/tables.ts';
import type { Cause } from './ended-endpoints.ts';

const WEBHOOK_ENDPOINTS = tableOf(webhookEndpoint);

/** A caller that changes where events are sent, or which events, becomes the subscriber. */
const IS_SUBSCRIPTION = "$given::jsonb ?| array['url', 'event_type_ids', 'page_ids', 'funnel_ids']";
const subscriber = (column: string, parameter: string) => ({
  [column]: {
    onCreate: `${parameter}::text`,
    onUpdate: `case when ${IS_SUBSCRIPTION} then ${parameter}::text else o.${column} end`,
  },
});

/** Needs the parameter `$secret`: the encrypted secret in hexadecimal digits. */
export const WEBHOOK_ENDPOINT_RULES: ChangeRules = {
  derived: {
    secret: { onCreate: "decode($secret::text, 'hex')", onUpdate: 'o.secret' },
    secret_changed_at: { onCreate: 'current_timestamp', onUpdate: 'o.secret_changed_at' },
    ...subscriber('actor_kind', '$actor_kind'),
    ...subscriber('actor_id', '$actor_id'),
    ...subscriber('client_id', '$client_id'),
    // Failures of the old URL do not count for a new one.
    failing_since: {
      onCreate: 'null::timestamptz',
      onUpdate: 'case when n.url = o.url then o.failing_since end',
    },
  },
  most: { perParent: MAX_ENDPOINTS, property: 'url' },
};

/** The encrypted secret of an endpoint, and the time since which the endpoint has it. */
export interface EndpointSecret {
  readonly secret: Uint8Array | null;
  readonly secretChangedAt: Date | null;
}

/** The secret of an endpoint that the caller owns; null if there is none. */
export async function findSecret(
  { store }: StoreContext,
  tenancy: Tenancy,
  id: bigint,
): Promise<EndpointSecret | null> {
  const find = statement(
    'webhook_endpoints.secret',
    () =>
      'select secret, secret_changed_at as "secretChangedAt" from webhook_endpoints where id = $1::bigint and ($2::bigint[] is null or workspace_id = any($2))',
  );
  const { workspaceIds } = await store.placement.nameWorkspaces(tenancy);
  return (await queryAs<EndpointSecret>(store, tenancy, find, [id, workspaceIds]))[0] ?? null;
}

/** An endpoint that is locked until the transaction ends. */
export interface LockedEndpoint extends Subscriber {
  readonly workspaceId: bigint;
  readonly hasSecret: boolean;
}

/** Locks an endpoint that the caller owns; null if there is none. */
export function lockEndpoint(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  tenancy: Tenancy,
  id: bigint,
): Promise<LockedEndpoint | null> {
  const columns = 't.secret is not null as "hasSecret", t.actor_kind, t.actor_id, t.client_id';
  return lockRow(tx, WEBHOOK_ENDPOINTS, tenancy, id, columns);
}

/** The credential that has subscribed an endpoint. */
export interface Subscriber {
  readonly actor_kind: string | null;
  readonly actor_id: string | null;
  readonly client_id: string | null;
}

/** Activates an endpoint; the caller becomes its subscriber. @param maxPerSecond null: unchanged */
export async function activateEndpoint(
  tx: Executor,
  workspaceId: bigint,
  id: bigint,
  { actor_kind, actor_id, client_id }: Subscriber,
  maxPerSecond: number | null,
): Promise<void> {
  await tx.$executeRawUnsafe(
    `update webhook_endpoints c set deactivated_at = null, deactivation_reason = null, failing_since = null,
      actor_kind = $3, actor_id = $4, client_id = $5,
      max_deliveries_per_second = coalesce($6::integer, c.max_deliveries_per_second), ${versionColumns('$7')}
    where c.workspace_id = $1::bigint and c.id = $2::bigint`,
    workspaceId,
    id,
    actor_kind,
    actor_id,
    client_id,
    maxPerSecond,
    await timeOf(tx, WEBHOOK_ENDPOINTS),
  );
}

/** Deactivates an active endpoint, which is locked. */
export async function deactivateEndpoint(
  tx: Executor,
  workspaceId: bigint,
  id: bigint,
  reason: Cause | 'requested',
): Promise<void> {
  await tx.$executeRawUnsafe(
    `update webhook_endpoints c set deactivated_at = $3::timestamptz, deactivation_reason = $4::text, ${versionColumns('$3')}
    where c.workspace_id = $1::bigint and c.id = $2::bigint`,
    ...[workspaceId, id, await timeOf(tx, WEBHOOK_ENDPOINTS), reason],
  );
}

/** Replaces an endpoint's secret. @param overlapSeconds for how long the previous secret also signs */
export async function replaceSecret(
  tx: Executor,
  workspaceId: bigint,
  id: bigint,
  sealed: Uint8Array,
  overlapSeconds: number,
): Promise<void> {
  const [time] = await tx.$queryRawUnsafe<{ at: string; until: string }[]>(
    `select v.at::text as at, (v.at + $3::integer * interval '1 second')::text as until
      from webhook_endpoints e
        cross join lateral (select later_time(e.updated_at, $4::timestamptz)::timestamptz(3) as at) v
      where e.workspace_id = $1::bigint and e.id = $2::bigint`,
    workspaceId,
    id,
    overlapSeconds,
    await timeOf(tx, WEBHOOK_ENDPOINTS),
  );
  await tx.$executeRawUnsafe(
    `update webhook_endpoints c set secret = $3::bytea,
      previous_secret = case when $4::integer > 0 then c.secret end,
      previous_secret_until = case when $4 > 0 and c.secret is not null then $6::timestamptz end,
      row_version = c.row_version + 1, updated_at = $5::timestamptz, secret_changed_at = $5::timestamptz
    where c.workspace_id = $1::bigint and c.id = $2::bigint`,
    ...[workspaceId, id, sealed, overlapSeconds],
    time?.at,
    time?.until,
  );
}
