// Changes that depend on the state that the client knows (If-Match, RFC 9110 §13.1.1), and reads that do (If-None-Match).
import { describe, expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.ts';
import { sampleAt } from '../support/nightly.ts';
import {
  createTenant,
  type Operation,
  requestOf,
  sampleOperations,
  shownAt,
  UNSAFE,
} from '../support/operations.ts';
import { createRestClient } from '../support/rest-client.ts';

const gateway = await sharedGateway();

const member = (id: number | bigint) => `/api/v2/contacts/${id}`;

/** A new tenant, and a client of its team. */
async function tenantWithClient(marker: string) {
  const tenant = await createTenant(gateway.app, marker);
  return { tenant, client: await createRestClient(gateway, tenant.team.id) };
}

/** Of one object that there is. */
const isOfOne = ({ success, isSummary }: Operation) => success !== 201 && !isSummary;
const OF_ONE = sampleOperations('known', UNSAFE.filter(isOfOne), 2);

/** Where `*` is tried. */
const STARRED = new Set(sampleAt('starred', OF_ONE, 6));
/** Where values are tried that nobody can read. */
const MISREAD = new Set(sampleAt('misread', OF_ONE, 6));

describe.each(OF_ONE)('$route', (operation) => {
  test('succeeds with the current tag or *, and gets 412 with any other, without a change', async () => {
    const { tenant, client } = await tenantWithClient('known');
    const path = operation.path(tenant);
    const { method, body } = requestOf(operation, tenant);
    const { tag } = await client.send('GET', shownAt(path, tenant));
    expect(tag).toMatch(/^"[\w-]{27}"$/);
    for (const other of sampleAt(operation.route, ['"x"', `W/${tag}`, '""', '"a", "b"'], 4))
      await client.refused(412, method, path, body, { 'If-Match': other });
    const unreadable = MISREAD.has(operation) ? ['x', tag.slice(1), '*, "a"', ''] : [];
    for (const wrong of sampleAt(operation.route, unreadable, 4))
      expect(await client.refused(422, method, path, body, { 'If-Match': wrong })).toEqual(['If-Match']);
    const done = await client.send(method, path, body, { 'If-Match': `"x", ${tag}` });
    expect(done.status).toBe(operation.success);
  });

  test.runIf(STARRED.has(operation))('succeeds with *', async () => {
    const { tenant: fresh, client } = await tenantWithClient('any');
    const { method, body } = requestOf(operation, fresh);
    const any = await client.send(method, operation.path(fresh), body, { 'If-Match': '*' });
    expect(any.status).toBe(operation.success);
  });
});

// A change without an effect in such a tenant keeps the tag.
const CHANGING = OF_ONE.filter(({ entries }) => entries !== 0);

describe.each(sampleAt('raced', CHANGING, 6))('$route', (operation) => {
  test('of many concurrent requests with the same tag one succeeds', async () => {
    const { tenant, client } = await tenantWithClient('raced');
    const path = operation.path(tenant);
    const { method, body } = requestOf(operation, tenant);
    const { tag } = await client.send('GET', shownAt(path, tenant));
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => client.send(method, path, body, { 'If-Match': tag })),
    );
    const done = answers.filter(({ status }) => status === operation.success);
    const late = answers.filter(({ status }) => status === 412 || status === 404);
    expect([done.length, late.length]).toEqual([1, 5]);
  });
});

const created = await tenantWithClient('new');

test.each(
  sampleOperations(
    'new',
    UNSAFE.filter((operation) => !isOfOne(operation)),
    2,
  ),
)(
  '$route of a new object, or of many, gets 412 with any If-Match, because no tag exists',
  async (operation) => {
    const { tenant, client } = created;
    const { method, body } = requestOf(operation, tenant);
    for (const tag of sampleAt(operation.route, ['*', '"x"'], 2))
      await client.refused(412, method, operation.path(tenant), body, { 'If-Match': tag });
  },
);

test('an upsert of an existing contact succeeds with the tag of the contact', async () => {
  const client = await createRestClient(gateway);
  const { body, tag } = await client.create({ email_address: 'a@example.com' });
  const contact = { email_address: 'A@example.com', first_name: 'B' };
  const upsert = ['POST', `${client.contacts}/upsert`, { contact }] as const;
  await client.refused(412, ...upsert, { 'If-Match': '"x"' });
  const changed = await client.send(...upsert, { 'If-Match': tag });
  expect([changed.status, changed.body.id]).toEqual([200, body.id]);
});

test('the tag of a contact changes with the contact, its tags and their names, and with nothing else', async () => {
  const client = await createRestClient(gateway);
  const { workspaceId } = client;
  const [a, b] = [await client.tag('a'), await client.tag('b')];
  const made = await client.create({ first_name: 'A' });
  const path = member(made.body.id);
  const tagNow = async () => (await client.send('GET', path)).tag;
  const seen = [made.tag];
  const steps = [
    () => client.send('PATCH', path, { first_name: 'B' }),
    () => client.send('POST', `${path}/applied_tags`, { tag_id: a }),
    () => client.send('PUT', `/api/v2/contacts/tags/${a}`, { name: 'renamed' }),
    () => client.send('PUT', `/api/v2/contacts/tags/${a}`, { color: '#123456' }),
    () => client.send('PATCH', path, { custom_attributes: { a: 1 } }),
    () => client.send('DELETE', `${path}/applied_tags/${a}`),
  ];
  for (const step of steps) {
    expect((await step()).status).toBeLessThan(300);
    const now = await tagNow();
    expect(seen).not.toContain(now);
    await client.refused(412, 'PUT', path, { first_name: 'C' }, { 'If-Match': seen.at(-1) ?? '' });
    const known = await client.send('GET', path, undefined, { 'If-None-Match': now });
    expect([known.status, known.text]).toEqual([304, '']);
    seen.push(now);
  }
  await client.send('PUT', `/api/v2/contacts/tags/${b}`, { name: 'unrelated' });
  await client.create();
  await client.send('POST', `/api/v2/workspaces/${workspaceId}/contacts/tags`, { name: 'more' });
  expect(await tagNow()).toBe(seen.at(-1));
});

test.each(['gzip', 'zstd'])('the tag of an answer in %s serves If-Match', async (coding) => {
  const client = await createRestClient(gateway);
  const made = await client.create({ first_name: 'x'.repeat(2_000) });
  const { tag } = await client.send('GET', member(made.body.id), undefined, { 'Accept-Encoding': coding });
  expect(tag).toContain(`-${coding}"`);
  const changed = await client.send('PUT', member(made.body.id), { first_name: 'y' }, { 'If-Match': tag });
  expect(changed.status).toBe(200);
  await client.refused(412, 'PUT', member(made.body.id), { first_name: 'z' }, { 'If-Match': tag });
});
