// Children that are written with their parent and shown in it, and an order among them, by descriptions alone: their whole life over both
// faces, for nouns that a test makes up.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createServer, type Server } from '../src/http/server.ts';
import type { Described } from '../src/resources/nouns.ts';
import { nounRoutes } from '../src/rest/noun-routes.ts';
import { toOpenApi } from '../src/rest/openapi/openapi.ts';
import { defineService } from '../src/services/service.ts';
import { inTransaction } from '../src/store/connections/executor.ts';
import { eraseContact } from '../src/store/erasure/contact-erasure.ts';
import { blankAll } from './support/blanking.ts';
import * as factories from './support/factories.ts';
import { type Caller, createGateway, type Gateway } from './support/gateway.ts';
import { post } from './support/graphql.ts';
import { statementsOf } from './support/graphql-statements.ts';
import { createMadeUp, MADE_UP } from './support/made-up/playlist.ts';
import { changeAsOnShards } from './support/placement.ts';
import type { Problem } from './support/problem.ts';

vi.mock('../src/resources/nouns.ts', async (original) => {
  const { NOUNS, ...rest } = await original<typeof import('../src/resources/nouns.ts')>();
  const { MADE_UP } = await import('./support/made-up/playlist.ts');
  return { ...rest, NOUNS: [...NOUNS, ...MADE_UP] };
});

interface Shown {
  readonly id: number;
  readonly [member: string]: unknown;
}
interface Track extends Shown {
  readonly title: string;
  readonly sort_order: number;
}
interface Playlist extends Shown {
  readonly tracks: readonly Track[];
}

let gateway: Gateway;
let server: Server;
let caller: Caller;
let stranger: Caller;
let workspaceId: bigint;
let funnelId: number;

beforeAll(async () => {
  gateway = await createGateway();
  server = createServer(gateway.app);
  await createMadeUp(gateway.app.store.pool);
  const workspace = await factories.workspace(gateway.app);
  workspaceId = workspace.id;
  caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });
  const theirs = await factories.workspace(gateway.app);
  stranger = await factories.apiKey(gateway.app, { teamId: theirs.teamId });
  funnelId = Number((await factories.funnel(gateway.app, { workspaceId })).id);
});
afterAll(() => gateway.close());

async function send<Body = Playlist>(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
  by = caller,
) {
  // By the server itself: openapi.json does not describe its answers.
  const request = new Request(`http://localhost:4000/api/v2${path}`, {
    method,
    headers: { Authorization: by.authorization ?? '', 'Content-Type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const response = await server.fetch(request);
  const text = await response.text();
  return {
    status: response.status,
    tag: response.headers.get('ETag') ?? '',
    body: (text === '' ? null : JSON.parse(text)) as Body & Problem,
  };
}
const create = (tracks: readonly object[], more: object = {}, headers = {}) =>
  send(
    'POST',
    `/workspaces/${workspaceId}/playlists`,
    { name: 'A', tracks_attributes: tracks, ...more },
    headers,
  );
const change = (id: number, body: object, headers = {}) => send('PATCH', `/playlists/${id}`, body, headers);
const get = async (id: number) => (await send('GET', `/playlists/${id}`)).body;
const titles = ({ tracks }: Playlist) => tracks.map(({ title }) => title);
const ask = async (query: string, variables: object = {}, by = caller) =>
  post(gateway, { query, variables }, { caller: by });
const globalId = (type: string, id: number | bigint) => btoa(`${type}:${id}`);

const told = async (type: string, id: number) => {
  const { rows } = await gateway.app.store.pool.query<{ event_type: string; data: unknown }>(
    'select event_type, data from events where subject_type = $1 and subject_id = $2 order by id',
    [type, id],
  );
  return rows;
};
const entries = async (type: string, id: number) => {
  const { rows } = await gateway.app.store.pool.query<{ action: string; before: unknown; after: unknown }>(
    'select action, before, after from audit_entries where subject_type = $1 and subject_id = $2 order by id',
    [type, id],
  );
  return rows;
};

describe.each([
  ['a store on one PostgreSQL', false],
  ['a distributed store', true],
])('in %s', (_, isDistributed) => {
  beforeAll(() => {
    if (isDistributed) changeAsOnShards(gateway.app.store, workspaceId);
  });
  afterAll(() => vi.restoreAllMocks());

  test('children are created with their parent, and are part of it in every answer', async () => {
    const { status, body, tag } = await create([
      { title: 'One', price: '1.5', currency: 'USD', funnel_id: funnelId },
      { title: 'Two', rating: 5 },
    ]);
    expect([status, body.tracks]).toMatchObject([
      201,
      [
        {
          playlist_id: body.id,
          title: 'One',
          price: '1.50',
          currency: 'USD',
          funnel_id: funnelId,
          rating: 3,
          sort_order: 0,
        },
        { playlist_id: body.id, title: 'Two', price: null, currency: 'EUR', rating: 5, sort_order: 1 },
      ],
    ]);
    const read = await send('GET', `/playlists/${body.id}`);
    expect([read.body, read.tag]).toEqual([body, tag]);
    const { body: list } = await send<Playlist[]>(
      'GET',
      `/workspaces/${workspaceId}/playlists?sort_order=desc`,
    );
    expect(list[0]).toEqual(body);
    const [one] = body.tracks;
    expect((await send('GET', `/playlists/tracks/${one?.id}`)).body).toEqual(one);
    expect(await told('Playlist', body.id)).toEqual([{ event_type: 'playlist.created', data: body }]);
    expect(await told('Track', one?.id ?? 0)).toEqual([{ event_type: 'playlists/track.created', data: one }]);
    expect(await entries('Playlist', body.id)).toEqual([
      { action: 'playlist.created', before: null, after: body },
    ]);
    expect(await entries('Track', one?.id ?? 0)).toEqual([
      { action: 'playlists/track.created', before: null, after: one },
    ]);
  });

  test('a change adds, changes and removes children; children that it does not mention stay', async () => {
    const { body: made } = await create([{ title: 'One' }, { title: 'Two' }, { title: 'Three' }]);
    const [one, two, three] = made.tracks.map(({ id }) => id);
    const { status, body } = await change(made.id, {
      tracks_attributes: [
        { id: two, title: 'Second', funnel_id: funnelId },
        { id: one, _destroy: true },
        { title: 'Four' },
      ],
    });
    expect([status, titles(body)]).toEqual([200, ['Second', 'Three', 'Four']]);
    // What can be given at creation alone is passed over in a change, as in a change of the track itself.
    expect(body.tracks[0]).toMatchObject({ id: two, funnel_id: null });
    expect(body.tracks[1]).toEqual(made.tracks[2]);
    expect(body['updated_at']).not.toBe(made['updated_at']);
    expect(await get(made.id)).toEqual(body);
    expect((await told('Track', one ?? 0)).map((event) => event.event_type)).toEqual([
      'playlists/track.created',
      'playlists/track.deleted',
    ]);
    expect(await entries('Track', two ?? 0)).toMatchObject([
      { action: 'playlists/track.created' },
      { action: 'playlists/track.updated', before: { title: 'Two' }, after: { title: 'Second' } },
    ]);
    expect((await entries('Track', three ?? 0)).length).toBe(1);
    expect((await entries('Playlist', made.id)).at(-1)).toEqual({
      action: 'playlist.updated',
      before: made,
      after: body,
    });
  });

  test('endpoints are notified of changes to children, also by a change of their parent', async () => {
    const events = ['created', 'updated', 'deleted'].map((name) => `playlists/track.${name}`);
    const { id: endpointId } = await factories.webhookEndpoint(gateway.app, {
      workspaceId,
      eventTypeIds: events,
    });
    const { body } = await create([{ title: 'One' }, { title: 'Two' }]);
    const [one, two] = body.tracks.map(({ id }) => id);
    await change(body.id, {
      tracks_attributes: [
        { id: one, title: '1' },
        { id: two, _destroy: true },
      ],
    });
    const { rows } = await gateway.app.store.pool.query<{ event_type: string }>(
      'select event_type from webhook_deliveries where endpoint_id = $1 order by id',
      [endpointId],
    );
    expect(rows.map((delivery) => delivery.event_type)).toEqual([events[0], ...events]);
    await gateway.app.store.pool.query('delete from webhook_endpoints where id = $1', [endpointId]);
  });

  test('a change that leaves all children as they are changes nothing', async () => {
    const { body } = await create([{ title: 'One' }]);
    const same = { tracks_attributes: [{ id: body.tracks[0]?.id, title: 'One' }] };
    expect(await change(body.id, same)).toMatchObject({ status: 200, body });
    expect((await change(body.id, { tracks_attributes: [] })).body).toEqual(body);
    expect((await told('Playlist', body.id)).length).toBe(1);
  });

  test.each<[string, object, string, string]>([
    ['title', {}, 'tracks_attributes[0].title', 'is required'],
    ['rating', { title: 'A', rating: 'x' }, 'tracks_attributes[0].rating', 'must be a whole number'],
    ['price', { title: 'A', price: '1.005' }, 'tracks_attributes[0].price', 'can have at most 2 digits'],
    [
      'funnel',
      { title: 'A', funnel_id: 99_999 },
      'tracks_attributes[0].funnel_id',
      'there is no such funnel in this workspace',
    ],
    ['a constraint', { title: 'A', rating: 6 }, 'tracks_attributes[].rating', 'is not valid'],
  ])('an error is blamed by its place in the list: %s', async (_name, item, field, message) => {
    const { body: there } = await create([]);
    for (const refused of [await create([item]), await change(there.id, { tracks_attributes: [item] })]) {
      expect([refused.status, refused.body.errors]).toMatchObject([422, [{ field }]]);
      expect(refused.body.errors[0]?.message).toContain(message);
    }
    expect(await get(there.id)).toEqual(there);
  });

  test('all errors of all items are reported together, and nothing is written', async () => {
    const count = async () =>
      (await gateway.app.store.pool.query<{ count: string }>('select count(*) from playlists')).rows[0]
        ?.count;
    const before = await count();
    const { body } = await create([{ title: '' }, { rating: 2 }, 'x' as unknown as object], { name: 1 });
    expect(body.errors.map(({ field }) => field)).toEqual([
      'name',
      'tracks_attributes[0].title',
      'tracks_attributes[1].title',
      'tracks_attributes[2]',
    ]);
    expect(await count()).toBe(before);
  });

  test('a parent has a maximum of children, however they are created', async () => {
    const five = Array.from({ length: 5 }, (_item, index) => ({ title: `T${index}` }));
    expect((await create(five)).body.errors).toEqual([
      expect.objectContaining({ field: 'tracks_attributes' }),
    ]);
    const { body } = await create(five.slice(1));
    const [{ id } = { id: 0 }] = body.tracks;
    const refused = await change(body.id, { tracks_attributes: [{ title: 'One more' }] });
    expect([refused.status, refused.body.errors.map(({ field }) => field)]).toEqual([
      422,
      ['tracks_attributes'],
    ]);
    expect((await send('POST', `/playlists/${body.id}/tracks`, { title: 'One more' })).status).toBe(422);
    const swapped = await change(body.id, {
      tracks_attributes: [{ title: 'One more' }, { id, _destroy: true }],
    });
    expect(titles(swapped.body)).toEqual(['T2', 'T3', 'T4', 'One more']);
  });

  test('a child of another parent cannot be changed, and none can be listed twice', async () => {
    const [{ body: ours }, { body: other }] = [
      await create([{ title: 'Ours' }]),
      await create([{ title: 'Other' }]),
    ];
    const [{ id } = { id: 0 }] = other.tracks;
    for (const item of [
      { id, title: 'Taken' },
      { id, _destroy: true },
      { id: 99_999, title: 'None' },
    ])
      expect((await change(ours.id, { tracks_attributes: [item] })).body.errors).toEqual([
        {
          field: 'tracks_attributes[0].id',
          code: 'not_found',
          message: 'tracks_attributes[0].id: there is no such track in the playlist.',
        },
      ]);
    const [{ id: own } = { id: 0 }] = ours.tracks;
    const twice = await change(ours.id, {
      tracks_attributes: [
        { id: own, title: 'A' },
        { id: own, _destroy: true },
      ],
    });
    expect(twice.body.errors.map(({ field }) => field)).toEqual(['tracks_attributes[1].id']);
    expect([await get(ours.id), await get(other.id)]).toEqual([ours, other]);
  });

  test('a violated uniqueness of a child is reported at its place in the list', async () => {
    const code = crypto.randomUUID();
    const { body } = await create([{ title: 'A', code }]);
    const refused = await create([{ title: 'B' }, { title: 'C', code }]);
    expect([refused.status, refused.body.errors.map(({ field }) => field)]).toEqual([
      422,
      ['tracks_attributes[].code'],
    ]);
    expect((await get(body.id)).tracks.length).toBe(1);
  });

  test('an amount of a child gets the decimal places of the child’s currency', async () => {
    const { body } = await create([{ title: 'A', price: '1', currency: 'JPY' }]);
    const [{ id } = { id: 0 }] = body.tracks;
    const to = (item: object) => change(body.id, { tracks_attributes: [{ id, ...item }] });
    expect((await to({ price: '1.5' })).body.errors.map(({ field }) => field)).toEqual([
      'tracks_attributes[0].price',
    ]);
    expect((await to({ currency: 'KWD' })).body.tracks[0]).toMatchObject({ price: '1.000', currency: 'KWD' });
  });

  test('a retry gets the first answer, and two concurrent changes are both kept', async () => {
    const key = { 'Idempotency-Key': `children-${isDistributed}` };
    const first = await create([{ title: 'A' }], {}, key);
    expect(await create([{ title: 'A' }], {}, key)).toEqual(first);
    expect((await create([{ title: 'B' }], {}, key)).status).toBe(422);
    const removal = { tracks_attributes: [{ id: first.body.tracks[0]?.id, _destroy: true }] };
    const again = { 'Idempotency-Key': `removal-${isDistributed}` };
    const removed = await change(first.body.id, removal, again);
    expect(await change(first.body.id, removal, again)).toEqual(removed);
    await Promise.all(
      ['X', 'Y', 'Z'].map((title) => change(first.body.id, { tracks_attributes: [{ title }] })),
    );
    const { tracks } = await get(first.body.id);
    expect(tracks.map(({ title }) => title).toSorted()).toEqual(['X', 'Y', 'Z']);
    expect(tracks.map((track) => track.sort_order)).toEqual([0, 1, 2]);
  });

  test('If-Match compares the parent with its children: a change of a child changes its tag', async () => {
    const { body, tag } = await create([{ title: 'A' }]);
    const [{ id } = { id: 0 }] = body.tracks;
    expect((await send('PATCH', `/playlists/tracks/${id}`, { title: 'B' })).status).toBe(200);
    expect((await change(body.id, { name: 'B' }, { 'If-Match': tag })).status).toBe(412);
    const { tag: now } = await send('GET', `/playlists/${body.id}`);
    expect((await change(body.id, { tracks_attributes: [{ title: 'C' }] }, { 'If-Match': now })).status).toBe(
      200,
    );
    expect(titles(await get(body.id))).toEqual(['B', 'C']);
  });

  test('children that no change may touch are written only at creation, and have no record of their own', async () => {
    const { id } = await factories.contact(gateway.app, { workspaceId });
    const path = `/contacts/${id}/receipts`;
    for (const lines of [undefined, [], [{}]])
      expect((await send('POST', path, { lines_attributes: lines })).status).toBe(422);
    const { body } = await send<Shown>('POST', path, { lines_attributes: [{ quantity: 2 }], note: 'N' });
    expect(body).toMatchObject({ lines: [{ receipt_id: body.id, quantity: 2 }] });
    const changed = await send<Shown>('PATCH', `/contacts/receipts/${body.id}`, {
      note: 'M',
      lines_attributes: [{ quantity: 3 }],
    });
    expect(changed.body).toMatchObject({ note: 'M', lines: body['lines'] });
    const { rows } = await gateway.app.store.pool.query<{ subject_type: string }>(
      `select distinct subject_type from audit_entries where subject_type like 'Receipt%'`,
    );
    expect(rows).toEqual([{ subject_type: 'Receipt' }]);
  });

  describe('a new order', () => {
    const reorder = (id: number, ids: unknown, headers = {}, by = caller) =>
      send('POST', `/playlists/${id}/tracks/reorder`, { ids_in_order: ids }, headers, by);

    test('covers all children of a parent at once', async () => {
      const { body: made } = await create([{ title: 'A' }, { title: 'B' }, { title: 'C' }]);
      const [a = 0, b = 0, c = 0] = made.tracks.map(({ id }) => id);
      expect(await reorder(made.id, [c, b, a])).toMatchObject({ status: 204, body: null });
      const now = await get(made.id);
      expect([titles(now), now.tracks.map((track) => track.sort_order)]).toEqual([
        ['C', 'B', 'A'],
        [0, 1, 2],
      ]);
      expect(now['updated_at']).not.toBe(made['updated_at']);
      expect((await entries('Playlist', made.id)).at(-1)).toEqual({
        action: 'playlist.tracks_reordered',
        before: made,
        after: now,
      });
      // One that kept its place has not changed.
      expect((await told('Track', b)).map((event) => event.event_type)).toEqual(['playlists/track.created']);
      expect((await told('Track', a)).at(-1)).toEqual({
        event_type: 'playlists/track.updated',
        data: now.tracks[2],
      });
      expect((await reorder(made.id, [c, b, a])).status).toBe(204);
      expect((await entries('Playlist', made.id)).length).toBe(2);
    });

    test('contains each child once, and no other', async () => {
      const { body } = await create([{ title: 'A' }, { title: 'B' }]);
      const { body: other } = await create([{ title: 'C' }]);
      const [a, b] = body.tracks.map(({ id }) => id);
      const wrong = [[], [a], [a, a], [a, b, other.tracks[0]?.id], [a, b, b], [a, 'x'], 'x', null, undefined];
      for (const ids of wrong) {
        const refused = await reorder(body.id, ids);
        expect([ids, refused.status, refused.body.errors[0]?.field]).toEqual([ids, 422, 'ids_in_order']);
      }
      expect(await get(body.id)).toEqual(body);
    });

    test('is refused from another team, and for an unknown parent', async () => {
      const { body } = await create([{ title: 'A' }, { title: 'B' }]);
      const ids = body.tracks.map(({ id }) => id).toReversed();
      if (!isDistributed) expect((await reorder(body.id, ids, {}, stranger)).status).toBe(404);
      expect((await reorder(99_999, ids)).status).toBe(404);
      expect(await get(body.id)).toEqual(body);
    });

    test('obeys If-Match of the parent, and Idempotency-Key', async () => {
      const { body, tag } = await create([{ title: 'A' }, { title: 'B' }]);
      const [a, b] = body.tracks.map(({ id }) => id);
      expect((await reorder(body.id, [b, a], { 'If-Match': '"other"' })).status).toBe(412);
      const key = { 'Idempotency-Key': `order-${isDistributed}` };
      expect((await reorder(body.id, [b, a], { 'If-Match': tag, ...key })).status).toBe(204);
      await reorder(body.id, [a, b]);
      expect((await reorder(body.id, [b, a], { 'If-Match': tag, ...key })).status).toBe(204);
      expect(titles(await get(body.id))).toEqual(['A', 'B']);
    });

    test('leaves no gap and no duplicate position under concurrent changes; a new child comes last', async () => {
      const { body } = await create([{ title: 'A' }, { title: 'B' }, { title: 'C' }]);
      const ids = body.tracks.map(({ id }) => id);
      const [a = 0, b = 0, c = 0] = ids;
      const orders = [
        [a, b, c],
        [c, b, a],
        [b, a, c],
        [c, a, b],
      ];
      await Promise.all([
        ...orders.map((order) => reorder(body.id, order)),
        send('POST', `/playlists/${body.id}/tracks`, { title: 'D' }),
      ]);
      const { tracks } = await get(body.id);
      expect(tracks.map((track) => track.sort_order)).toEqual([0, 1, 2, 3]);
      expect(orders).toContainEqual(tracks.filter(({ id }) => ids.includes(id)).map(({ id }) => id));
      await send('DELETE', `/playlists/tracks/${tracks[1]?.id}`);
      const kept = (await get(body.id)).tracks.map(({ id }) => id).toReversed();
      expect((await reorder(body.id, kept)).status).toBe(204);
      expect((await get(body.id)).tracks.map((track) => [track.id, track.sort_order])).toEqual(
        kept.map((id, index) => [id, index]),
      );
    });
  });

  test('has the same input and output over GraphQL', async () => {
    const fields =
      'databaseId tracks { databaseId title position price { amount currency } funnel { databaseId } playlist { databaseId } }';
    const create = `mutation ($input: CreatePlaylistInput!) { createPlaylist(input: $input) { playlist { ${fields} } } }`;
    const made = await ask(create, {
      input: {
        workspaceId: globalId('Workspace', workspaceId),
        name: 'A',
        tracks: [
          { title: 'One', price: { amount: '2', currency: 'USD' }, funnelId: globalId('Funnel', funnelId) },
          { title: 'Two' },
        ],
      },
    });
    const { playlist } = (
      made.data as { createPlaylist: { playlist: { databaseId: number; tracks: { databaseId: number }[] } } }
    ).createPlaylist;
    const { databaseId: id } = playlist;
    expect(playlist.tracks).toMatchObject([
      {
        title: 'One',
        price: { amount: '2.00', currency: 'USD' },
        position: 0,
        funnel: { databaseId: funnelId },
        playlist: { databaseId: id },
      },
      { title: 'Two', price: null, position: 1, funnel: null },
    ]);
    const read = await ask(`query ($id: BigInt!) { playlist(by: { databaseId: $id }) { ${fields} } }`, {
      id,
    });
    expect(read).toMatchObject({ data: { playlist } });
    const [one = 0, two = 0] = playlist.tracks.map((track) => track.databaseId);
    const changed = await ask(
      'mutation ($input: UpdatePlaylistInput!) { updatePlaylist(input: $input) { playlist { tracks { title } } } }',
      {
        input: {
          playlistId: globalId('Playlist', id),
          tracks: [
            { id: globalId('Track', one), delete: true },
            { id: globalId('Track', two), title: '2' },
            { title: '3' },
          ],
        },
      },
    );
    expect(changed.data).toEqual({
      updatePlaylist: { playlist: { tracks: [{ title: '2' }, { title: '3' }] } },
    });
    const [last] = (await get(id)).tracks.slice(-1);
    const reordered = await ask(
      'mutation ($input: ReorderTracksInput!) { reorderTracks(input: $input) { playlist { tracks { title } } } }',
      {
        input: {
          playlistId: globalId('Playlist', id),
          idsInOrder: [last?.id ?? 0, two].map((track) => globalId('Track', track)),
        },
      },
    );
    expect(reordered.data).toEqual({
      reorderTracks: { playlist: { tracks: [{ title: '3' }, { title: '2' }] } },
    });
    const refused = await ask(create, {
      input: {
        workspaceId: globalId('Workspace', workspaceId),
        name: 'A',
        tracks: [{ title: 'A', funnelId: 'x' }],
      },
    });
    expect(refused.errors?.[0]?.extensions).toMatchObject({ code: 'INVALID', field: 'tracks[0].funnelId' });
  });
});

test('another team neither sees nor changes children, in any way', async () => {
  const { body } = await create([{ title: 'A' }]);
  const [{ id } = { id: 0 }] = body.tracks;
  for (const [method, path, given] of [
    ['GET', `/playlists/${body.id}`],
    ['PATCH', `/playlists/${body.id}`, { tracks_attributes: [{ id, title: 'B' }] }],
    ['GET', `/playlists/tracks/${id}`],
    ['POST', `/playlists/${body.id}/tracks`, { title: 'B' }],
  ] as const)
    expect((await send(method, path, given, {}, stranger)).status).toBe(404);
  const { rows } = await gateway.app.store.pool.query<{ id: string }>(
    'select id from workspaces where team_id <> (select team_id from workspaces where id = $1) order by id desc limit 1',
    [workspaceId],
  );
  const theirs = await send<Playlist>(
    'POST',
    `/workspaces/${rows[0]?.id}/playlists`,
    { name: 'T' },
    {},
    stranger,
  );
  const named = await send(
    'PATCH',
    `/playlists/${theirs.body.id}`,
    { tracks_attributes: [{ id, title: 'B' }] },
    {},
    stranger,
  );
  expect(named.status).toBe(422);
  expect(await get(body.id)).toEqual(body);
});

test('an image can be deleted unless a noun without a name uses it', async () => {
  const images = `/workspaces/${workspaceId}/images`;
  const source = { image: { upload_source_url: 'https://example.com/a.png' } };
  const { body: cover } = await send<Shown>('POST', images, source);
  const { body: unused } = await send<Shown>('POST', images, source);
  const { body } = await create([{ title: 'A', cover_id: cover.id }]);
  const [track] = body.tracks;
  expect(await send('DELETE', `/images/${cover.id}`)).toMatchObject({
    status: 409,
    body: { detail: `The image is used by the track ${String(track?.['public_id'])} and was not deleted.` },
  });
  expect(await send('DELETE', `/images/${unused.id}`)).toMatchObject({ status: 204, body: null });
  await change(body.id, { tracks_attributes: [{ id: track?.id, cover_id: null }] });
  expect(await send('DELETE', `/images/${cover.id}`)).toMatchObject({ status: 204, body: null });
});

test('erasing a contact erases its children’s children', async () => {
  const { id } = await factories.contact(gateway.app, { workspaceId });
  await send('POST', `/contacts/${id}/receipts`, { lines_attributes: [{ quantity: 2 }], note: 'secret' });
  expect((await send('DELETE', `/contacts/${id}/gdpr_destroy`)).status).toBe(200);
  const { rows } = await gateway.app.store.pool.query(
    `select (select count(*)::int from receipts where contact_id = $1) as receipts,
       (select count(*)::int from receipt_lines l where not exists (
         select from receipts r where r.workspace_id = l.workspace_id and r.id = l.receipt_id)) as lines`,
    [id],
  );
  expect(rows).toEqual([{ receipts: 0, lines: 0 }]);
});

test('rows below an erased contact are invisible until they are deleted; later rows are visible and stay', async () => {
  const { id } = await factories.contact(gateway.app, { workspaceId });
  const path = `/contacts/${id}/receipts`;
  const make = (note: string) => send('POST', path, { lines_attributes: [{ quantity: 2 }], note });
  const { body: old } = await make('secret');
  const { pool } = gateway.app.store;
  await inTransaction(pool, (tx) => eraseContact(tx, workspaceId, id, null));
  expect((await pool.query('select from receipts where contact_id = $1', [id])).rowCount).toBe(1);
  expect((await send('GET', `/contacts/receipts/${old.id}`)).status).toBe(404);
  expect((await send('PATCH', `/contacts/receipts/${old.id}`, { note: 'more' })).status).toBe(404);
  const { body } = await make('later');
  for (const _ of ['before', 'after']) {
    expect((await send<unknown>('GET', path)).body).toMatchObject([{ id: body.id, note: 'later' }]);
    await blankAll(gateway.app);
  }
  const { rows } = await pool.query(
    'select r.id, count(l.id)::int as lines from receipts r join receipt_lines l on l.workspace_id = r.workspace_id and l.receipt_id = r.id where r.contact_id = $1 group by r.id',
    [id],
  );
  expect(rows).toEqual([{ id: String(body.id), lines: 1 }]);
});

test('parents are read with their children in one statement', async () => {
  const { body } = await create([{ title: 'A' }, { title: 'B' }]);
  await create([{ title: 'C' }]);
  const list = `/workspaces/${workspaceId}/playlists?per_page=50&sort_order=desc`;
  expect((await statementsOf(gateway, () => send('GET', list))).length).toBe(1);
  const query = (of: string) =>
    `query ($id: ID!) { node(id: $id) { ... on Workspace { playlists(first: 50) { nodes { databaseId ${of} } } } } }`;
  const id = globalId('Workspace', workspaceId);
  const [without, withChildren] = [
    await statementsOf(gateway, () => ask(query(''), { id })),
    await statementsOf(gateway, () => ask(query('tracks { title }'), { id })),
  ];
  expect(withChildren.length).toBe(without.length);
  const { data } = await ask(query('tracks { title }'), { id });
  const { nodes } = (data as { node: { playlists: { nodes: { databaseId: number; tracks: object[] }[] } } })
    .node.playlists;
  expect(nodes.find(({ databaseId }) => databaseId === body.id)?.tracks).toEqual([
    { title: 'A' },
    { title: 'B' },
  ]);
});

test('inputs and outputs are described', () => {
  const described = MADE_UP.slice(0, 2).map((noun) => noun as unknown as Described);
  const { paths, components } = toOpenApi(
    described.flatMap((noun) => nounRoutes(defineService(noun))),
    '2',
  ) as {
    paths: Record<string, object>;
    components: { schemas: Record<string, { properties: Record<string, { items?: object }> }> };
  };
  expect(Object.keys(paths)).toContain('/api/v2/playlists/{playlist_id}/tracks/reorder');
  const { Playlist, PlaylistCreation, PlaylistChange, Track, TrackOrder } = components.schemas;
  expect(PlaylistCreation?.properties['tracks_attributes']).toMatchObject({
    type: ['array', 'null'],
    maxItems: 4,
    items: { required: ['title'] },
  });
  expect(PlaylistChange?.properties['tracks_attributes']?.items).toMatchObject({
    properties: { id: {}, _destroy: { type: ['boolean', 'null'] }, title: {} },
  });
  expect(Playlist?.properties['tracks']?.items).toEqual({ $ref: '#/components/schemas/Track' });
  expect(Track).toMatchObject({ properties: { sort_order: {} } });
  expect(TrackOrder).toMatchObject({ required: ['ids_in_order'] });
});
