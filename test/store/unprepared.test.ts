// PREPARED_STATEMENTS=off: no statement is prepared under a name, because a pooler in transaction mode may not find it again.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { createTenant } from '../support/operations.ts';

let gateway: Gateway | undefined;
let server: Server | undefined;
afterEach(async () => {
  await gateway?.close();
  server?.close();
});

/** The names of prepared statements (Parse messages) in a client's bytes. */
function namesIn(onName: (name: string) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0);
  let isStarted = false;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      // The first message has no type.
      const type = isStarted ? 1 : 0;
      if (rest.length < type + 4) return;
      const end = type + rest.readInt32BE(type);
      if (rest.length < end) return;
      if (isStarted && rest[0] === 0x50) onName(rest.toString('utf8', 5, rest.indexOf(0, 5)));
      isStarted = true;
      rest = rest.subarray(end);
    }
  };
}

/** A proxy that records the names. */
async function listen(databaseUrl: string, names: Set<string>): Promise<string> {
  const { host, port } = new pg.Client({ connectionString: databaseUrl });
  server = createServer((client) => {
    const upstream = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    client.on(
      'data',
      namesIn((name) => names.add(name)),
    );
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.search = '';
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return url.href;
}

test.each([
  ['off', true],
  ['on', false],
])('with PREPARED_STATEMENTS=%s reads and changes of both faces', async (value, isUnprepared) => {
  const names = new Set<string>();
  gateway = await createGateway({
    env: { PREPARED_STATEMENTS: value },
    through: (url) => listen(url, names),
  });
  const { team, workspace, contact } = await createTenant(gateway.app, 'ours');
  const key = await factories.apiKey(gateway.app, { teamId: team.id });
  const contacts = `/api/v2/workspaces/${workspace.id}/contacts`;
  const json = { caller: key, headers: { 'Content-Type': 'application/json' } };
  for (const _ of [1, 2]) {
    const created = await gateway.send(contacts, {
      ...{ ...json, method: 'POST', body: '{"first_name": "Ada"}' },
    });
    expect(created.status).toBe(201);
    const { id } = (await created.json()) as { id: number };
    const [changed, page] = await Promise.all([
      gateway.send(`/api/v2/contacts/${id}`, { ...json, method: 'PATCH', body: '{"first_name": "Bea"}' }),
      gateway.send(`${contacts}?filter[is_active]=true`, { caller: key }),
    ]);
    expect([changed.status, page.status]).toEqual([200, 200]);
    expect(await (await gateway.send(`/api/v2/contacts/${id}`, { caller: key })).json()).toMatchObject({
      first_name: 'Bea',
    });
    const { errors } = await post(
      gateway,
      { query: `{ node(id: "${Buffer.from(`Contact:${contact.id}`).toString('base64')}") { id } }` },
      { caller: key },
    );
    expect(errors).toBeUndefined();
    expect((await gateway.send(`/api/v2/contacts/${id}`, { caller: key, method: 'DELETE' })).status).toBe(
      204,
    );
  }
  expect(names.has('')).toBe(true);
  expect([...names].filter((name) => name !== '').length === 0).toBe(isUnprepared);
});
