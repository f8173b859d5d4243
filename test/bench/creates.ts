// Creating contacts. In every round each subject creates the same ones, as fast as it can, in tables that have the same
// rows each time; a turn counts only if all its rows are there afterwards. Then the gateway alone changes and deletes them.
import pg from 'pg';
import { attempt, type Bench, type Row } from './bench.ts';
import {
  clearCreated,
  readCreated,
  requireChanged,
  requireHistory,
  requireSnapshots,
} from './created-rows.ts';
import { ratioTo, rotate, rowsOf, type Slice } from './measure.ts';
import { type Creator, createdIn, createRequest, newContacts } from './new-contacts.ts';
import { writeRequest } from './requests.ts';
import { RUN_IN, sendOnce } from './send-once.ts';
import type { Subject } from './subject.ts';

/** Those that keep audit entries, events and idempotency records too. */
const WITH_HISTORY: readonly Creator[] = ['limit-json', 'gateway'];
/** In the order of the table. */
export const CREATORS: readonly Creator[] = [...WITH_HISTORY, 'postgraphile', 'stock'];

export interface CreateResult {
  /** The gateway's rate / another's; null when one is missing. */
  ratioTo(other: Creator): number | null;
  readonly rows: Row[];
}

interface Race {
  readonly bench: Bench;
  readonly client: pg.Client;
  readonly created: Map<Creator, Slice[]>;
  readonly updated: Slice[];
  readonly deleted: Slice[];
}

/** Runs all rounds. */
export async function measureCreates(bench: Bench): Promise<CreateResult> {
  const { plan, progress, dataset, subjects } = bench;
  const client = new pg.Client({ connectionString: dataset.url });
  await client.connect();
  const here = CREATORS.filter((name) => subjects.has(name));
  const race: Race = {
    ...{ bench, client, updated: [], deleted: [] },
    created: new Map(here.map((name) => [name, []])),
  };
  try {
    await clearCreated(client, dataset.manifest);
    // PostgreSQL logs a whole page at its first change after a checkpoint: the warm-up's turns do that for all.
    await client.query('checkpoint');
    for (let round = 0; round <= plan.rounds; round++) {
      const count = plan.creates.toLocaleString('en');
      progress.say(
        `(h) ${round === 0 ? 'Warm-up' : `Round ${round} of ${plan.rounds}`}: creating ${count} contacts`,
      );
      for (const name of rotate(here, round)) await runTurn(race, name, round);
      if (round === 0)
        for (const slices of [...race.created.values(), race.updated, race.deleted]) slices.length = 0;
    }
  } finally {
    await clearCreated(client, dataset.manifest).catch(() => {});
    await client.end();
  }
  const gatewayAlone = (slices: Slice[], workload: string) =>
    slices.length === 0 ? [] : rowsOf({ part: 'h', workload }, new Map([['gateway', slices]]));
  return {
    ratioTo: (other) => ratioTo(race.created, other),
    rows: [
      ...rowsOf({ part: 'h', workload: '(h) creating a contact' }, race.created),
      ...gatewayAlone(race.updated, '(h) REST, changing one member of a contact'),
      ...gatewayAlone(race.deleted, '(h) REST, deleting a contact'),
    ],
  };
}

/** One subject's turn. One that fails is out, and all that it did is forgotten. */
async function runTurn(
  { bench, client, created, updated, deleted }: Race,
  name: Creator,
  round: number,
): Promise<void> {
  const subject = bench.subjects.get(name);
  const slices = created.get(name);
  if (subject === undefined || slices === undefined) return;
  const { manifest } = bench.dataset;
  await clearCreated(client, manifest);
  const turn = `${Date.now()}-${name}-${round}`;
  const ids = await attempt(bench, `${name} is left out of creating contacts`, async () => {
    const { slice, ids } = await createAll(bench, client, subject, name, turn);
    slices.push(slice);
    return ids;
  });
  if (ids === null) created.delete(name);
  if (ids === null || name !== 'gateway') return;
  await attempt(bench, 'gateway, changing contacts', async () => {
    updated.push(await changeAll(bench, client, subject, ids, `${turn}-change`));
    deleted.push(await deleteAll(bench, client, subject, ids, `${turn}-delete`));
  });
}

async function createAll(bench: Bench, client: pg.Client, subject: Subject, name: Creator, turn: string) {
  const { manifest } = bench.dataset;
  const contacts = newContacts(RUN_IN + bench.plan.creates);
  const requests = contacts.map((contact) => createRequest(name, manifest, contact, turn));
  const withHistory = WITH_HISTORY.includes(name);
  const slice = await sendOnce(bench, subject, requests, withHistory ? 201 : 200);
  const ids = await readCreated(client, manifest, contacts);
  if (withHistory) await requireHistory(client, manifest, ids);
  for (const { index, body } of slice.samples) {
    const answered = createdIn(body);
    if (
      answered === null ||
      answered.id !== ids[index] ||
      answered.emailAddress !== contacts[index]?.email_address
    )
      throw new Error(
        `the answer to contact ${index}, which has the id ${ids[index]}, is ${body.slice(0, 300)}`,
      );
    if (withHistory) await requireSnapshots(client, answered.id, body);
  }
  return { slice, ids };
}

async function changeAll(bench: Bench, client: pg.Client, subject: Subject, ids: number[], turn: string) {
  const { manifest } = bench.dataset;
  const requests = ids.map((id) => {
    const contact = { first_name: `Changed ${id}` };
    return writeRequest('PATCH', `/api/v2/contacts/${id}`, manifest.token, `${turn}-${id}`, { contact });
  });
  const slice = await sendOnce(bench, subject, requests, 200);
  const count = ids.length;
  await requireChanged(client, manifest, { eventType: 'contact.updated', count, left: count });
  return slice;
}

async function deleteAll(bench: Bench, client: pg.Client, subject: Subject, ids: number[], turn: string) {
  const { manifest } = bench.dataset;
  const requests = ids.map((id) =>
    writeRequest('DELETE', `/api/v2/contacts/${id}`, manifest.token, `${turn}-${id}`),
  );
  const slice = await sendOnce(bench, subject, requests, 204);
  await requireChanged(client, manifest, { eventType: 'contact.deleted', count: ids.length, left: 0 });
  return slice;
}
