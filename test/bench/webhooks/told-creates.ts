// What events cost a change: contacts are created by the gateway, with an endpoint that is told of everything, and by one whose contacts
// have no events. Nobody delivers. In turns, the same contacts, in the same tables; a turn counts only if all its rows are there.
import type pg from 'pg';
import { attempt, type Bench, type Row } from '../bench.ts';
import { readCreated, requireHistory } from '../created-rows.ts';
import { ratioTo, rotate, rowsOf, type Slice } from '../measure.ts';
import { createRequest, newContacts } from '../new-contacts.ts';
import { RUN_IN, sendOnce } from '../send-once.ts';
import { median } from '../stats.ts';
import { type Subject, startSubject } from '../subject.ts';
import { clearWebhooks, insertEndpoints } from './backlog.ts';
import { SILENT, TELLING } from './subjects.ts';

/** Nothing is sent there. */
const URL = 'http://127.0.0.1:9/webhooks';
/** Events of a contact that is created with an e-mail address. */
const EVENTS_EACH = 2;

export interface ToldResult {
  /** The rate with events / without. */
  readonly ratio: number | null;
  /** Contacts created a second, with events. */
  readonly perSecond: number | null;
  readonly rows: Row[];
}

/** Runs all rounds. */
export async function measureToldCreates(bench: Bench, client: pg.Client): Promise<ToldResult> {
  const { settings, plan, dataset, progress } = bench;
  const subjects = new Map<string, Subject>();
  const slices = new Map<string, Slice[]>();
  try {
    subjects.set('gateway', await startSubject(TELLING, settings));
    subjects.set('gateway-silent', await startSubject(SILENT, settings));
    for (const name of subjects.keys()) slices.set(name, []);
    await client.query('checkpoint');
    for (let round = 0; round <= plan.rounds; round++) {
      progress.say(
        `(i) ${round === 0 ? 'Warm-up' : `Round ${round} of ${plan.rounds}`}: creating ${plan.creates.toLocaleString('en')} contacts with events and without`,
      );
      for (const name of rotate([...slices.keys()], round)) {
        const subject = subjects.get(name) as Subject;
        const slice = await attempt(bench, `${name} is left out of creating contacts`, () =>
          runTurn(bench, client, subject, name === 'gateway', `${Date.now()}-${name}-${round}`),
        );
        if (slice === null) slices.delete(name);
        else if (round > 0) slices.get(name)?.push(slice);
      }
    }
  } finally {
    await Promise.all([...subjects.values()].map((subject) => subject.stop()));
    await clearWebhooks(client, dataset.manifest).catch(() => {});
  }
  const speeds = slices.get('gateway')?.map(({ requestsPerSecond }) => requestsPerSecond);
  return {
    ratio: ratioTo(slices, 'gateway-silent'),
    perSecond: speeds === undefined ? null : median(speeds),
    rows: rowsOf({ part: 'i', workload: '(i) creating a contact that an endpoint is told of' }, slices),
  };
}

async function runTurn(
  bench: Bench,
  client: pg.Client,
  subject: Subject,
  hasEvents: boolean,
  turn: string,
): Promise<Slice> {
  const { manifest } = bench.dataset;
  await clearWebhooks(client, manifest);
  const [endpointId = ''] = await insertEndpoints(client, manifest, [URL]);
  const contacts = newContacts(RUN_IN + bench.plan.creates);
  const requests = contacts.map((contact) => createRequest('gateway', manifest, contact, turn));
  const slice = await sendOnce(bench, subject, requests, 201);
  const ids = await readCreated(client, manifest, contacts);
  await requireHistory(client, manifest, ids, hasEvents);
  await requirePending(client, endpointId, hasEvents ? EVENTS_EACH * ids.length : 0);
  return slice;
}

/** @throws Error unless so many events are each to be delivered to the endpoint, once */
async function requirePending(client: pg.Client, endpointId: string, count: number): Promise<void> {
  const { rows } = await client.query<{ all: number; right: number }>(
    `select count(*)::int as all, count(distinct e.id) filter (where d.status = 'pending' and d.endpoint_id = $1)::int as right
      from webhook_deliveries d join events e on e.workspace_id = d.workspace_id and e.id = d.event_id`,
    [endpointId],
  );
  const [found] = rows;
  if (found?.all !== count || found.right !== count)
    throw new Error(`deliveries: ${JSON.stringify(found)} of ${count}`);
}
