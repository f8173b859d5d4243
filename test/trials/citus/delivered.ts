// Every change of a distributed store is told of: once each, to the endpoint that asked for it.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createReceiver } from '../../support/webhook-receiver.ts';
import { serve } from '../faults/gateway.ts';
import { report } from '../test-bed.ts';

const CHANGES = 100;
const AT_ONCE = 8;
const MAX_WAIT_MS = 60_000;

/** @param token of a key that may change the workspace */
export async function tryDelivery(url: string, workspaceId: number, token: string): Promise<void> {
  const gateway = await serve({ DATABASE_URL: url, LOG_LEVEL: 'error' });
  const receiver = await createReceiver();
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const post = async (path: string, body: object) => {
    const response = await fetch(`${gateway.origin}/api/v2/workspaces/${workspaceId}/${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text) as { id: number };
  };
  try {
    const events = { name: 'all', url: receiver.url, event_type_ids: ['contact.created'] };
    const { id: endpointId } = await post('webhooks/outgoing/endpoints', events);
    const created = new Set<number>();
    let next = 0;
    const client = async () => {
      while (next++ < CHANGES) created.add((await post('contacts', { contact: { first_name: 'Told' } })).id);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    const since = performance.now();
    const told = () => new Set(receiver.received.map(({ payload }) => payload.subject_id));
    while (told().size < created.size && performance.now() - since < MAX_WAIT_MS) await sleep(100);
    const ids = told();
    const missing = [...created].filter((id) => !ids.has(id)).length;
    report(
      `${created.size} contacts created: ${missing} not told of, ${receiver.received.length - ids.size} told of twice`,
      created.size === CHANGES && missing === 0 && receiver.received.length === ids.size,
    );
    // The last answers are written down a moment after they came.
    await sleep(1_000);
    const { rows } = await pool.query<{ status: string; count: number }>(
      `select status, count(*)::int from webhook_deliveries where workspace_id = $1 and endpoint_id = $2 group by 1`,
      [workspaceId, endpointId],
    );
    report(
      `deliveries: ${rows.map(({ status, count }) => `${count} ${status}`).join(', ')}`,
      rows.length === 1 && rows[0]?.status === 'delivered' && rows[0].count === CHANGES,
    );
    for (const line of gateway.log.slice(0, 5)) report(`logged: ${line.slice(0, 500)}`, false);
  } finally {
    await gateway.end('SIGTERM');
    await pool.end();
    await receiver.close();
  }
}
