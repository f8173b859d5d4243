// The address of an image's file is that of the answering process: the names and starts of other processes change no rows.
import { afterAll, expect, test } from 'vitest';
import { bringUpToDate } from '../../src/commands/database.ts';
import { prepare } from '../../src/commands/serve/prepare.ts';
import { databaseUrlOf } from '../commands/cli.ts';
import { type Gateway, openGateway, ownGateway } from '../support/gateway.ts';
import { createRestClient } from '../support/rest-client.ts';

const first = await ownGateway();
const opened = (env: Record<string, string>) => openGateway({ databaseUrl: databaseUrlOf(first) }, { env });
const second = opened({ AUTH_URL: 'https://accounts.second.example/sign-in' });
const third = opened({ AUTH_URL: 'http://third.example:8080', PREPARED_STATEMENTS: 'off' });
afterAll(() => Promise.all([second.close(), third.close()]));
const ORIGINS = new Map<Gateway, string>([
  [first, 'http://localhost:4000'],
  [second, 'https://accounts.second.example'],
  [third, 'http://third.example:8080'],
]);

const { caller, workspaceId } = await createRestClient(first);
const headers = { 'Content-Type': 'application/json' };
const lists = `/api/v2/workspaces/${workspaceId}/images`;

interface Shown {
  readonly id: number;
  readonly public_id: string;
  readonly url: string;
}

async function create({ send }: Gateway): Promise<Shown> {
  const body = JSON.stringify({ image: { upload_source_url: 'https://example.com/a.png' } });
  const made = await send(lists, { caller, method: 'POST', headers, body });
  expect(made.status).toBe(201);
  return made.json() as Promise<Shown>;
}

async function graphql({ send }: Gateway, query: string): Promise<string> {
  const made = await send('/graphql', { caller, method: 'POST', headers, body: JSON.stringify({ query }) });
  const text = await made.text();
  expect(text).not.toContain('"errors"');
  return text;
}

/** The addresses in an answer, or in what is stored. */
const urlsIn = (text: string) => [...text.matchAll(/"url":\s?"([^"]*)"/g)].map(([, url]) => url);

/** The version of every row of every table. */
async function versions(): Promise<unknown> {
  const { pool } = first.app.store;
  const { rows } = await pool.query<{ sql: string }>(
    `select format('select %L as name, array_agg(xmin::text order by ctid) as rows from %I', tablename, tablename) as sql
     from pg_tables where schemaname = 'public'`,
  );
  return (await pool.query(rows.map(({ sql }) => sql).join(' union all '))).rows;
}

test('each process answers with its own address, whichever process has created the image', async () => {
  for (const creator of ORIGINS.keys()) {
    const made = await create(creator);
    const path = new URL(made.url).pathname;
    expect(path).toMatch(/^\/images\//);
    for (const [gateway, origin] of ORIGINS) {
      const url = `${origin}${path}`;
      const shown = await gateway.send(`/api/v2/images/${made.id}`, { caller });
      expect(await shown.json()).toMatchObject({ url });
      const listed = await gateway.send(lists, { caller });
      expect(urlsIn(await listed.text())).toContain(url);
      const id = Buffer.from(`Image:${made.id}`).toString('base64');
      expect(urlsIn(await graphql(gateway, `{ node(id: "${id}") { ... on Image { url } } }`))).toEqual([url]);
      const changed = `mutation { updateImage(input: { imageId: "${id}", name: "${origin}" }) { image { url } } }`;
      expect(urlsIn(await graphql(gateway, changed))).toEqual([url]);
      const { rows } = await first.app.store.pool.query(
        `select to_json(a)::text as entry from audit_entries a order by id desc limit 1`,
      );
      expect(new Set(urlsIn(rows[0].entry))).toEqual(new Set([url]));
    }
  }
});

test('a process that starts changes no row', async () => {
  await create(first);
  await bringUpToDate(first.app);
  const before = await versions();
  const options = { demo: false, migrate: true };
  await prepare({ app: second.app, embedded: null }, options, AbortSignal.timeout(60_000));
  expect(await versions()).toEqual(before);
});
