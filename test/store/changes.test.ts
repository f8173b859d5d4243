// Concurrent changes of the same objects, and changes that must wait, are interrupted or rolled back by PostgreSQL.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { ancestorsOf } from '../../src/resources/description/ancestors.ts';
import type { Resource } from '../../src/resources/description/resource.ts';
import { NOUNS } from '../../src/resources/nouns.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { CHANGEABLE, digest } from '../support/hostile.ts';
import { endLongestWait, untilWaiting } from '../support/lock-waits.ts';
import { sampleAt } from '../support/nightly.ts';
import { createTenant, requestOf, type Tenant, UNSAFE } from '../support/operations.ts';
import { prismaOf } from '../support/prisma.ts';
import { createRestClient, type RestClient } from '../support/rest-client.ts';
import { createObserver, type Observer } from '../support/statements.ts';

let gateway: Gateway;
let observer: Observer;
let client: RestClient;

beforeAll(async () => {
  gateway = await createGateway({ env: { POOL_SIZE: '20', LOOKUP_CACHE_MS: '60000' } });
  observer = await createObserver(gateway);
});
beforeEach(async () => {
  client = await createRestClient(gateway);
});
afterAll(async () => {
  await observer.close();
  await gateway.close();
});

const member = (id: number | bigint) => `/api/v2/contacts/${id}`;
const key = (value: string) => ({ 'Idempotency-Key': value });
const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const entriesOf = (contactId: number) =>
  prismaOf(gateway.app.store).auditEntry.findMany({
    where: { workspaceId: client.workspaceId, contactId: BigInt(contactId) },
    orderBy: { id: 'asc' },
  });

const isOnCitus = inject('workerUrls').length > 0;

/** Executes a statement on the only database, or on each Citus worker. @returns the first field of each answer */
async function onEachNode(text: string): Promise<string[]> {
  const { pool } = gateway.app.store;
  if (!isOnCitus) return (await pool.query({ text, rowMode: 'array' })).rows.map(([first]) => String(first));
  const { rows } = await pool.query('select success, result from run_command_on_workers($1)', [text]);
  expect(rows.filter(({ success }) => !success)).toEqual([]);
  return rows.map(({ result }) => result);
}

const lockOf = (tagId: number | bigint) =>
  `select from tags where workspace_id = ${client.workspaceId} and id = ${tagId} for update`;

describe('at once', () => {
  test('60 creations with one key create one row, and get one answer', async () => {
    const answers = await times(60, () =>
      client.send('POST', client.contacts, { first_name: 'A' }, key('one')),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    const where = { workspaceId: client.workspaceId };
    expect(await prismaOf(gateway.app.store).contact.count({ where })).toBe(1);
    expect(await client.recordOf(answers[0]?.body.id ?? 0)).toEqual({
      actions: ['contact.created'],
      events: ['contact.created'],
    });
  });

  test('changes of different members are all kept, and each entry’s `before` is the previous `after`', async () => {
    const made = await client.create({ custom_attributes: { kept: 'x' } });
    const members = ['first_name', 'last_name', 'phone_number', 'time_zone', 'fb_url', 'website_url'];
    const changed = await times(12, (index) => {
      const name = members[index];
      const given = name === undefined ? { custom_attributes: { [`a${index}`]: index } } : { [name]: name };
      return client.send('PATCH', member(made.body.id), given);
    });
    expect(new Set(changed.map(({ status }) => status))).toEqual(new Set([200]));
    const { body } = await client.send('GET', member(made.body.id));
    expect(body).toMatchObject(Object.fromEntries(members.map((name) => [name, name])));
    expect(Object.keys(body['custom_attributes'] as object).sort()).toEqual(
      ['kept', ...[6, 7, 8, 9, 10, 11].map((index) => `a${index}`)].sort(),
    );
    const entries = await entriesOf(made.body.id);
    expect(entries).toHaveLength(13);
    // They are recorded in the order of their locks, which the time of their row shows.
    const timeOf = ({ after }: (typeof entries)[number]) =>
      String((after as { updated_at: string }).updated_at);
    const inOrder = entries.toSorted((one, other) => timeOf(one).localeCompare(timeOf(other)));
    for (const [index, entry] of inOrder.entries())
      expect(entry.before).toEqual(index === 0 ? null : inOrder[index - 1]?.after);
    expect(inOrder.at(-1)?.after).toEqual(body);
  });

  test('replacements, additions and removals of tags end as one of them, and each returns a state that existed', async () => {
    const tagIds = await times(4, (index) => client.tag(`tag ${index}`));
    const made = await client.create({ tag_ids: tagIds.slice(0, 1) });
    const sets = tagIds.map((id, index) => [id, tagIds[(index + 1) % 4]].toSorted());
    const answers = await times(12, (index) =>
      client.send('PUT', member(made.body.id), { tag_ids: sets[index % 4] }),
    );
    for (const [index, { status, body }] of answers.entries())
      expect([status, body.tags.map(({ id }) => id)]).toEqual([200, sets[index % 4]]);
    const { body } = await client.send('GET', member(made.body.id));
    expect(sets).toContainEqual(body.tags.map(({ id }) => id));
    const { events } = await client.recordOf(made.body.id);
    const count = (name: string) => events.filter((type) => type === `contacts/applied_tag.${name}`).length;
    expect(count('created') - count('deleted')).toBe(2);
  });

  test('a tag is applied once, and removed once', async () => {
    const tag_id = await client.tag('wanted');
    const { body } = await client.create();
    const path = `${member(body.id)}/applied_tags`;
    const applied = await times(8, () => client.send('POST', path, { tag_id }));
    expect(applied.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201]);
    const removed = await times(8, () => client.send('DELETE', `${path}/${tag_id}`));
    expect(removed.map(({ status }) => status).sort()).toEqual([204, ...Array(7).fill(404)]);
    expect((await client.recordOf(body.id)).events.slice(2)).toEqual([
      'contacts/applied_tag.created',
      'contacts/applied_tag.deleted',
    ]);
  });

  test('a contact has at most 200 tags, however they are added', async () => {
    const ids = await times(204, (index) => client.tag(`tag ${index}`));
    const { body } = await client.create({ tag_ids: ids.slice(0, 198) });
    const answers = await times(6, (index) =>
      client.send('POST', `${member(body.id)}/applied_tags`, { tag_id: ids[198 + index] }),
    );
    const { tags } = (await client.send('GET', member(body.id))).body;
    expect([tags.length, answers.map(({ status }) => status).sort()]).toEqual([
      200,
      [201, 201, 422, 422, 422, 422],
    ]);
  });

  test('one of two contacts gets an address, the other one’s change is refused as taken', async () => {
    const contact = { email_address: 'one@example.com' };
    const answers = await times(10, () => client.send('POST', client.contacts, { contact }));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(422)]);
  });

  test('a change and a deletion: the answers match the records', async () => {
    for (let round = 0; round < 5; round++) {
      const { body } = await client.create();
      const [changed, deleted] = await Promise.all([
        client.send('PATCH', member(body.id), { first_name: 'B' }),
        client.send('DELETE', member(body.id)),
      ]);
      expect([changed.status === 200 || changed.status === 404, deleted.status]).toEqual([true, 204]);
      const actions = (await entriesOf(body.id)).map(({ action }) => action);
      expect(actions).toEqual([
        'contact.created',
        ...(changed.status === 200 ? ['contact.updated'] : []),
        'contact.deleted',
      ]);
    }
  });
});

/** The operations of a team's own row lock nothing of a workspace. */
const IN_WORKSPACES = UNSAFE.filter(({ route }) => !route.endsWith(' /api/v2/teams/:id'));

/** Locks the rows that an operation changes, and all their ancestors, in a tenant. */
function lockFor({ route }: { route: string }, tenant: Tenant): string {
  const { workspace, rows } = tenant;
  const path = route.slice(route.indexOf('/'));
  const [noun] = NOUNS.filter(
    ({ path: below = '-', members = below }) =>
      `${path}/`.startsWith(`/api/v2/${members}/:`) || `${path}/`.includes(`/${below}/`),
  ).toSorted((one, other) => lengthOf(other) - lengthOf(one));
  if (noun === undefined) throw new Error(`Of which noun is ${route}?`);
  const lock = (table: string, id: unknown) =>
    `select from ${table} where workspace_id = ${workspace.id} and id = ${id} for update`;
  const chain = [noun, ...ancestorsOf(noun)].filter((one) =>
    ancestorsOf(one).some(({ table }) => table === 'workspaces'),
  );
  return [
    ...chain.map(({ table, type }) => lock(table, rows[type]?.id)),
    `select from workspaces where id = ${workspace.id} for update`,
  ].join('; ');
}

function lengthOf({ path = '', members = path }: Resource): number {
  return members.length;
}

// One of the suite's slowest: it tests the lock timeout of four seconds, and waits for it twice.
test('while another transaction holds what it locks, every operation is 409 with a key and 503 without one after a while, and changes nothing', async () => {
  const wishes = await Promise.all(
    sampleAt('held', IN_WORKSPACES, 12).map(async (operation) => {
      const tenant = await createTenant(gateway.app, 'held', client.teamId);
      const { headers, ...request } = requestOf(operation, tenant);
      const send = (more: Record<string, string> = {}) =>
        gateway.send(operation.path(tenant), {
          ...{ caller: client.caller, ...request },
          headers: { ...headers, ...more },
        });
      return { operation, send, lock: lockFor(operation, tenant) };
    }),
  );
  const before = await digest(gateway, CHANGEABLE);
  const locks = wishes.map(({ lock }) => lock).join('; ');
  const answers = await observer.whileLocked(locks, () =>
    Promise.all(wishes.map(({ send }) => Promise.all([send(key('held')), send()]))),
  );
  for (const [index, [keyed, bare]] of answers.entries()) {
    const route = wishes[index]?.operation.route;
    expect([route, keyed.status, bare.status]).toEqual([route, 409, 503]);
    for (const response of [keyed, bare]) {
      expect(response.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
      expect(await response.text()).toContain('Nothing was changed');
    }
  }
  expect(await digest(gateway, CHANGEABLE)).toEqual(before);
  for (const { operation, send } of wishes)
    expect([operation.route, (await send(key('held'))).status]).toEqual([operation.route, operation.success]);
  // More than there are connections: two rounds of waiting for a lock.
});

describe('the second request with a key', () => {
  test('waits for the first answer, and gets it', async () => {
    const tagId = await client.tag('held');
    const send = () => client.send('POST', client.contacts, { tag_ids: [tagId] }, key('waits'));
    let answers: ReturnType<typeof send>[] = [];
    await observer.whileLocked(lockOf(tagId), async () => {
      answers = [send(), send()];
      await untilWaiting(gateway.app, 2);
    });
    const [first, second] = await Promise.all(answers);
    expect([first?.status, second?.text]).toEqual([201, first?.text]);
  });

  test('is 409 where that takes too long; afterwards it is answered as the first was', async () => {
    // It retries, because waiting for a lock is bounded.
    await gateway.app.store.pool.query(`
      create function take_long() returns trigger language plpgsql as $$ begin
        while not pg_try_advisory_xact_lock(8) loop perform pg_sleep(0.02); end loop; return new;
      end $$;
      create trigger take_long before insert on contacts for each row when (new.first_name = 'slow') execute function take_long()`);
    const send = () => client.send('POST', client.contacts, { first_name: 'slow' }, key('slow'));
    let both: ReturnType<typeof send>[] = [];
    await observer.whileLocked('select pg_advisory_xact_lock(8)', async () => {
      both = [send(), send()];
      const refused = await Promise.race(both);
      expect([refused.status, refused.headers.has('Retry-After')]).toEqual([409, true]);
    });
    const [first, second] = (await Promise.all(both)).toSorted((a, b) => a.status - b.status);
    expect([first?.status, second?.status]).toEqual([201, 409]);
    expect((await send()).text).toBe(first?.text);
    const where = { workspaceId: client.workspaceId };
    expect(await prismaOf(gateway.app.store).contact.count({ where })).toBe(1);
  });

  test('makes the change if the first was rolled back', async () => {
    const tagId = await client.tag('held');
    const send = (first_name: string) =>
      client.send('POST', client.contacts, { first_name, tag_ids: [tagId] }, key('rolled-back'));
    let answers: ReturnType<typeof send>[] = [];
    await observer.whileLocked(lockOf(tagId), async () => {
      answers = [send('A'), send('A')];
      await untilWaiting(gateway.app, 2);
      await endLongestWait(gateway.app);
    });
    const statuses = (await Promise.all(answers)).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 503]);
    const where = { workspaceId: client.workspaceId };
    expect(await prismaOf(gateway.app.store).contact.count({ where })).toBe(1);
  });
});

describe('a transaction that PostgreSQL aborts because of others', () => {
  /** This many changes of a contact fail in this way. A sequence is not rolled back. With Citus each node has its own. */
  const fail = async (code: string, count: number, at = 'in its statement') => {
    await onEachNode('create sequence failures');
    await onEachNode('grant usage on sequence failures to public');
    const trigger =
      at === 'in its statement'
        ? 'create trigger fail before insert or update on contacts'
        : 'create constraint trigger fail after insert or update on contacts deferrable initially deferred';
    const maker = await gateway.app.store.pool.connect();
    try {
      if (isOnCitus) await maker.query('set citus.enable_unsafe_triggers = on');
      await maker.query(`create function fail() returns trigger language plpgsql as $$ begin
        if nextval('failures') <= ${count} then raise exception 'undone' using errcode = '${code}'; end if; return new;
      end $$`);
      await maker.query(`${trigger} for each row execute function fail()`);
    } finally {
      maker.release(true);
    }
  };
  afterEach(async () => {
    await gateway.app.store.pool.query('drop function if exists fail cascade');
    await onEachNode('drop sequence if exists failures');
  });

  const changes: Record<string, (id: number) => Parameters<RestClient['send']>> = {
    'a change of one statement': (id) => ['PATCH', member(id), { first_name: 'B' }],
    'a change of several steps': (id) => ['DELETE', `${member(id)}/gdpr_destroy`],
  };
  const cases = Object.keys(changes).flatMap((kind) =>
    ['40001', '40P01'].flatMap((code) =>
      ['in its statement', 'at its commit'].map((at) => [kind, code, at] as const),
    ),
  );

  test.each(cases)('%s is tried again after %s %s, and made once', async (kind, code, at) => {
    const { body } = await client.create();
    await fail(code, 3, at);
    const answer = await client.send(...(changes[kind]?.(body.id) ?? expect.fail()));
    expect(answer.status).toBe(200);
    expect(await entriesOf(body.id)).toHaveLength(2);
  });

  test.each(cases)('%s that always ends in %s %s is 503, and nothing is changed', async (kind, code, at) => {
    const { body } = await client.create();
    await fail(code, 1_000, at);
    await client.refused(503, ...(changes[kind]?.(body.id) ?? expect.fail()));
    expect(Math.max(...(await onEachNode('select last_value from failures')).map(Number))).toBeLessThan(10);
  });

  test('a change in a deadlock still succeeds', async () => {
    const tagId = await client.tag('held');
    const { body } = await client.create();
    let answer: ReturnType<RestClient['send']> | undefined;
    // The other one waits longer before it looks for a deadlock, so that PostgreSQL does not choose it.
    const hold = `set local deadlock_timeout = '60s'; select from tags where id = ${tagId} for update`;
    await observer.whileLocked(hold, async () => {
      answer = client.send('PUT', member(body.id), { first_name: 'B', tag_ids: [tagId] });
      await untilWaiting(gateway.app, 1);
      await observer.query(`select from contacts where id = ${body.id} for update`);
    });
    const changed = await answer;
    expect([changed?.status, changed?.body.tags.map(({ id }) => id)]).toEqual([200, [tagId]]);
    expect((await entriesOf(body.id)).map(({ action }) => action)).toEqual([
      'contact.created',
      'contact.updated',
    ]);
  });
});

describe('a deadline that strikes', () => {
  test('before the commit was sent is 503, and nothing was changed', async () => {
    const hasty = await createGateway({ env: { REQUEST_TIMEOUT_MS: '700', LOOKUP_CACHE_MS: '60000' } });
    const watcher = await createObserver(hasty);
    try {
      const hurried = await createRestClient(hasty);
      const { body } = await hurried.create();
      const lock = `select from contacts where id = ${body.id} for update`;
      const change = () => hurried.send('PATCH', member(body.id), { first_name: 'B' }, key('hurried'));
      const answers = await watcher.whileLocked(lock, () =>
        Promise.all([change(), hurried.send('DELETE', `${member(body.id)}/gdpr_destroy`)]),
      );
      expect(answers.map(({ status }) => status)).toEqual([503, 503]);
      for (const { text } of answers) expect(text).toContain('Nothing was changed');
      await vi.waitFor(async () => expect(await watcher.underWay()).toEqual([]), { timeout: 60_000 });
      // The retry is safe: the change is made once, whatever became of the first attempt.
      expect((await change()).body['first_name']).toBe('B');
      expect((await hurried.recordOf(body.id)).actions).toEqual(['contact.created', 'contact.updated']);
    } finally {
      await watcher.close();
      await hasty.close();
    }
  });
});

test('a change is recorded with its actor, its request, and the state before', async () => {
  const other = await factories.apiKey(gateway.app, { teamId: client.teamId });
  const { publicId } = await prismaOf(gateway.app.store).apiKey.findUniqueOrThrow({
    where: { id: other.id },
  });
  const { body } = await client.create();
  const path = member(body.id);
  const headers = { 'X-Request-Id': 'who-was-it' };
  expect((await gateway.send(path, { caller: other, method: 'DELETE', headers })).status).toBe(204);
  expect((await entriesOf(body.id)).at(-1)).toMatchObject({
    ...{ actorKind: 'api_key', actorId: publicId, clientId: null, requestId: 'who-was-it' },
    ...{ action: 'contact.deleted', subjectType: 'Contact', subjectId: BigInt(body.id) },
    ...{ before: body, after: null },
  });
});
