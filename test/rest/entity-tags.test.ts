// Entity tags of all reads, and 304 for a client that has the version (RFC 9110 §8.8.3, §13.1.2).
import { describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { sampleAt } from '../support/nightly.ts';
import {
  createTenant,
  OPERATIONS,
  requestOf,
  sampleOperations,
  shownAt,
  UNSAFE,
} from '../support/operations.ts';
import { prismaOf } from '../support/prisma.ts';

const STRONG = /^"[\w-]{27}"$/;

const gateway = await sharedGateway();
const tenant = await createTenant(gateway.app, 'ours');
const caller = await factories.apiKey(gateway.app, { teamId: tenant.team.id });

const send = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  gateway.send(path, { caller, headers, method });
const contactsPath = () => `/api/v2/workspaces/${tenant.workspace.id}/contacts`;

const READS = OPERATIONS.filter(({ success, route }) => success === 200 && route.startsWith('GET '));
const [streamed, whole] = [true, false].map((isStreamed) =>
  READS.filter(({ route }) => route.endsWith('/refine_filters') === isStreamed),
);

describe.each(sampleOperations('tagged', whole ?? [], 2))('$route', ({ route, path }) => {
  test('is not sent again to a client that has it', async () => {
    const first = await send(path(tenant));
    const tag = first.headers.get('ETag') ?? '';
    expect(tag).toMatch(STRONG);
    for (const method of ['GET', 'HEAD'])
      for (const known of sampleAt(route + method, [tag, `W/${tag}`, `"x", ${tag}`, '*'], 4)) {
        const again = await send(path(tenant), { 'If-None-Match': known }, method);
        expect([again.status, await again.text(), again.headers.get('Content-Type')]).toEqual([
          304,
          '',
          null,
        ]);
        for (const name of ['ETag', 'Cache-Control', 'Link', 'Pagination-Next'])
          expect(again.headers.get(name)).toBe(first.headers.get(name));
      }
  });

  test('is sent to a client with another version, or without a tag', async () => {
    for (const known of sampleAt(route, ['"x"', 'W/"x"', 'x', ''], 4)) {
      const response = await send(path(tenant), { 'If-None-Match': known });
      expect([response.status, (await response.text()) !== '']).toEqual([200, true]);
    }
  });
});

describe.each(sampleOperations('answered', UNSAFE, 2))('$route', (operation) => {
  test('answers with the tag of a later GET, whatever tag the client sends, or without a body and a tag', async () => {
    const fresh = await createTenant(gateway.app, 'fresh', tenant.team.id);
    const { headers, ...request } = requestOf(operation, fresh);
    const response = await gateway.send(operation.path(fresh), {
      caller,
      ...request,
      headers: { ...headers, 'If-None-Match': '*' },
    });
    const text = await response.text();
    const tag = response.headers.get('ETag');
    if (operation.success === 204) return expect([response.status, text, tag]).toEqual([204, '', null]);
    if (operation.isSecret)
      return expect([response.status, response.headers.get('Cache-Control'), tag]).toEqual([
        operation.success,
        'no-store, no-transform',
        null,
      ]);
    expect([response.status, tag]).toEqual([operation.success, expect.stringMatching(STRONG)]);
    if (operation.isSummary) return undefined;
    const address = response.headers.get('Location') ?? shownAt(operation.path(fresh), fresh);
    const later = await send(new URL(address, 'http://localhost').pathname);
    expect([later.status, later.headers.get('ETag'), await later.text()]).toEqual([200, tag, text]);
  });
});

test('the streamed list has no tag, but each of its pages has one', async () => {
  for (const { path } of streamed ?? []) {
    const all = await send(path(tenant), { 'If-None-Match': '*' });
    expect([all.status, all.headers.get('ETag')]).toEqual([200, null]);
    await all.text();
    expect((await send(`${path(tenant)}?per_page=2`)).headers.get('ETag')).toMatch(STRONG);
  }
});

test('a tag changes with the object and with every list that contains it, also when a tag on a contact is renamed', async () => {
  const prisma = prismaOf(gateway.app.store);
  const { id: contactId } = tenant.contact;
  const { id: workspaceId } = tenant.workspace;
  const tagsOf = () =>
    Promise.all(
      [`/api/v2/contacts/${contactId}`, contactsPath()].map(
        async (path) => (await send(path)).headers.get('ETag') ?? '',
      ),
    );
  const seen: string[][] = [await tagsOf()];
  await prisma.contact.updateMany({ where: { id: contactId }, data: { firstName: 'changed' } });
  seen.push(await tagsOf());
  const tag = await factories.tag(gateway.app, workspaceId, 'first');
  await prisma.contactTag.create({ data: { workspaceId, contactId, tagId: tag.id } });
  seen.push(await tagsOf());
  await prisma.tag.updateMany({ where: { id: tag.id }, data: { name: 'renamed' } });
  seen.push(await tagsOf());
  expect(await tagsOf()).toEqual(seen.at(-1));
  for (const of of [0, 1]) expect(new Set(seen.map((tags) => tags[of])).size).toBe(4);
});

test('an empty page has a tag, and a refusal none', async () => {
  const empty = await send(`${contactsPath()}?after=${2n ** 62n}`);
  expect([await empty.text(), empty.headers.get('ETag')]).toEqual(['[]', expect.stringMatching(STRONG)]);
  const refused = await send(`${contactsPath()}?per_page=0`, { 'If-None-Match': '*' });
  expect([refused.status, refused.headers.get('ETag')]).toEqual([422, null]);
});

test.each(['gzip', 'zstd'])('a page in %s has a tag of its own, which is as good', async (coding) => {
  await factories.contacts(gateway.app, tenant.workspace.id, 5);
  const coded = { 'Accept-Encoding': coding };
  const plain = await send(contactsPath());
  const tag = `${plain.headers.get('ETag')?.slice(0, -1)}-${coding}"`;
  const first = await send(contactsPath(), coded);
  expect([first.headers.get('ETag'), first.headers.get('Content-Encoding')]).toEqual([tag, coding]);
  for (const method of ['GET', 'HEAD']) {
    const again = await send(contactsPath(), { ...coded, 'If-None-Match': tag }, method);
    expect([again.status, await again.text(), again.headers.get('ETag')]).toEqual([304, '', tag]);
    expect(again.headers.get('Vary')).toMatch(/\bAccept-Encoding\b/);
    for (const name of ['Cache-Control', 'Link', 'Pagination-Next'])
      expect(again.headers.get(name)).toBe(plain.headers.get(name));
  }
});
