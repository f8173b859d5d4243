// Endpoints, and a backlog for them: events of contacts that are there, each for one endpoint, written to the store by SQL.
import type pg from 'pg';
import { createKeyring } from '../../../src/auth/keyring.ts';
import type { App } from '../../../src/context.ts';
import { toDeliveryBody } from '../../../src/jobs/delivery/attempt.ts';
import { contact } from '../../../src/resources/contacts.ts';
import { newSecret } from '../../../src/services/webhooks/webhook-secrets.ts';
import { snapshot } from '../../../src/store/sql/row-json.ts';
import { inWorkspace } from '../../../src/store/sql/statements.ts';
import { tableOf } from '../../../src/store/tables/tables.ts';
import type { DueEvent } from '../../../src/store/webhooks/deliveries-due.ts';
import { clearCreated } from '../created-rows.ts';
import type { Manifest } from '../dataset.ts';
import { SECRET_KEY } from '../subjects.ts';
import type { LoopJob } from './loop-jobs.ts';

const CONTACTS = tableOf(contact);

export interface Backlog {
  readonly endpointIds: readonly string[];
  /** What has to arrive, as the receiver calls it. */
  readonly keys: readonly string[];
  /** What a loop has to send for the same to arrive. */
  readonly jobs: readonly LoopJob[];
}

const INSERT_ENDPOINT = `
  insert into webhook_endpoints (workspace_id, url, name, secret, secret_changed_at, actor_kind, actor_id)
  select $1, $2, 'Bench', $3, current_timestamp, 'api_key', k.public_id from api_keys k where k.id = 1
  returning id`;

/** Endpoints of the workspace that are told of everything, by the rights of the bench's key. */
export async function insertEndpoints(
  client: pg.Client,
  { workspaceId }: Manifest,
  urls: readonly string[],
): Promise<string[]> {
  const app = { keyring: createKeyring(() => [SECRET_KEY]) } as App;
  const ids: string[] = [];
  for (const url of urls) {
    const { rows } = await client.query<{ id: string }>(INSERT_ENDPOINT, [workspaceId, url, newSecret(app)]);
    ids.push(String(rows[0]?.id));
  }
  return ids;
}

/** As the tables were before. */
export async function clearWebhooks(client: pg.Client, manifest: Manifest): Promise<void> {
  await clearCreated(client, manifest);
  await client.query('delete from webhook_endpoints');
  await client.query('truncate webhook_leases');
}

const INSERT_EVENTS = `
  insert into events (workspace_id, event_type, subject_type, subject_id, contact_id, data)
  select t.workspace_id, 'contact.updated', 'Contact', t.id, t.id, ${inWorkspace(snapshot(CONTACTS.resource, CONTACTS.columns))}
  from contacts t where t.workspace_id = $1 and t.id >= $2 order by t.id limit $3`;

/** The columns of DueEvent, without a place, in the order of the ids. */
const EVENTS = `
  select id, uuid, event_type as type, subject_type as "subjectType", subject_id as "subjectId", data::text, api_version as "apiVersion",
    created_at as "createdAt", 'null' as page, 'null' as funnel
  from events order by id`;

const INSERT_DELIVERIES = `
  insert into webhook_deliveries (workspace_id, endpoint_id, event_id, event_type)
  select $1, endpoint_id, event_id, 'contact.updated'
  from unnest($2::bigint[], $3::bigint[]) as d (endpoint_id, event_id)`;

/** Writes so many deliveries for endpoints that are still deactivated. `release` activates them. */
export async function writeBacklog(
  client: pg.Client,
  manifest: Manifest,
  urls: readonly string[],
  count: number,
): Promise<Backlog> {
  const { workspaceId, firstContactId } = manifest;
  await clearWebhooks(client, manifest);
  const endpointIds = await insertEndpoints(client, manifest, urls);
  await client.query(
    "update webhook_endpoints set deactivated_at = current_timestamp, deactivation_reason = 'requested'",
  );
  await client.query(INSERT_EVENTS, [workspaceId, firstContactId, count]);
  const { rows: events } = await client.query<DueEvent & { id: string }>(EVENTS);
  if (events.length !== count) throw new Error(`${events.length} events of ${count}`);
  const endpointOf = (index: number) => index % urls.length;
  await client.query(INSERT_DELIVERIES, [
    workspaceId,
    events.map((_, index) => endpointIds[endpointOf(index)]),
    events.map(({ id }) => id),
  ]);
  await client.query('vacuum analyze events, webhook_deliveries, webhook_endpoints, webhook_attempts');
  return {
    endpointIds,
    keys: events.map(({ uuid }, index) => `${endpointOf(index)} ${uuid}`),
    jobs: events.map((event, index) => ({
      url: urls[endpointOf(index)] ?? '',
      body: toDeliveryBody(event, BigInt(workspaceId)),
    })),
  };
}

/** From now on the backlog is due. */
export async function release(client: pg.Client): Promise<void> {
  await client.query('update webhook_endpoints set deactivated_at = null, deactivation_reason = null');
}

/** How many deliveries and attempts say that they were delivered, and how many rows there are of each. */
const DELIVERED = `
  select (select count(*)::int from webhook_deliveries where status = 'delivered') as delivered,
    (select count(*)::int from webhook_deliveries) as deliveries,
    (select count(*)::int from webhook_attempts where response_code = 200) as successes,
    (select count(*)::int from webhook_attempts) as attempts`;

/** Null once the store says that all was delivered, by one attempt each; else what it says. */
export async function missingIn(client: pg.Client, count: number): Promise<string | null> {
  const { rows } = await client.query<Record<string, number>>(DELIVERED);
  const [found = {}] = rows;
  return Object.values(found).every((value) => value === count) ? null : JSON.stringify(found);
}
