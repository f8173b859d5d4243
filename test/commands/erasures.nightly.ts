// Erased people stay erased, whichever backup is restored.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createClusters, query } from '../support/cluster.ts';
import { runHere, runJsonHere, temporaryFolder } from './cli.ts';
import { openGateway } from './embedded-gateway.ts';

const TABLES = ['contacts', 'contact_tags', 'audit_entries', 'events'];
const clusters = createClusters();
/** The id of a person who was created and erased after the backup. */
let laterId: number;

/** Calls the REST API of the store in a data folder. */
async function call(dir: string, calls: (send: Send) => Promise<void>): Promise<void> {
  const gateway = await openGateway(clusters, dir);
  try {
    await calls(async (method, path, body) => {
      const response = await gateway.send(`/api/v2${path}`, {
        method,
        token,
        headers: { 'Content-Type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      expect([path, response.ok]).toEqual([path, true]);
      return response.status === 204 ? { id: 0 } : ((await response.json()) as { id: number });
    });
  } finally {
    await gateway.close();
  }
}

type Send = (method: string, path: string, body?: object) => Promise<{ id: number }>;

/** The places of each text in the store of a data folder. */
async function tablesWith(dir: string, ...texts: readonly string[]): Promise<string[][]> {
  const database = await clusters.open(dir);
  const found = texts.map((): string[] => []);
  for (const table of TABLES)
    for (const [index, text] of texts.entries()) {
      const rows = await query(database.url, `select from ${table} t where t::text like '%${text}%' limit 1`);
      if (rows.length > 0) found[index]?.push(table);
    }
  await database.release();
  return found;
}

const folder = await temporaryFolder();
const dataDir = await clusters.folder();
// One server for all that follows, which joins it.
const database = await clusters.open(dataDir);
await runJsonHere(['seed'], { DATA_DIR: dataDir });
const token = (await readFile(join(dataDir, 'demo-key'), 'utf8')).trim();
/** From before the erasures, with both people in it. */
const backup = join(folder.path, 'before.tar.gz');
const list = join(folder.path, 'erasures.jsonl');
const create = (send: Send, name: string) =>
  send('POST', '/workspaces/1/contacts', { email_address: `${name}@example.com`, first_name: name });
const ids: number[] = [];
await call(dataDir, async (send) => {
  for (const name of ['livingperson', 'deletedperson', 'keptperson']) ids.push((await create(send, name)).id);
  await send('PUT', `/contacts/${ids[0]}`, { last_name: 'livingperson' });
  await send('DELETE', `/contacts/${ids[1]}`);
});
await runJsonHere(['backup', backup], { DATA_DIR: dataDir });
await call(dataDir, async (send) => {
  for (const id of ids.slice(0, 2)) await send('DELETE', `/contacts/${id}/gdpr_destroy`);
  laterId = (await create(send, 'laterperson')).id;
  await send('DELETE', `/contacts/${laterId}/gdpr_destroy`);
});
const listed = await runHere(['erasures', 'list'], { DATA_DIR: dataDir });
await writeFile(list, listed.stdout);
await database.release();
afterAll(async () => {
  await clusters.clean();
  await folder.remove();
});

const people = ['livingperson', 'deletedperson'];
/** The places with data of a person who has not been erased. */
const KEPT = ['contacts', 'audit_entries', 'events'];

async function expectErased(dir: string): Promise<void> {
  expect(await tablesWith(dir, ...people, 'keptperson')).toEqual([[], [], KEPT]);
}

test('a restore over the store with the erasures repeats them, and so does the next restore', async () => {
  const env = { DATA_DIR: dataDir };
  await expectErased(dataDir);
  for (let round = 0; round < 2; round++) {
    const restored = await runHere(['restore', backup, '--replace'], env);
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('erased again: 3.') });
    expect(restored.stderr).not.toContain('erasures apply');
    await expectErased(dataDir);
  }
});

test('a new person with the id of an erased one is not erased', async () => {
  const later = join(folder.path, 'later.tar.gz');
  await call(dataDir, async (send) => {
    const { id } = await send('POST', '/workspaces/1/contacts', { first_name: 'newperson' });
    expect(id).toBe(laterId);
  });
  await runJsonHere(['backup', later], { DATA_DIR: dataDir });
  const restored = await runJsonHere(['restore', later, '--replace'], { DATA_DIR: dataDir });
  expect(restored).toMatchObject({ erased_again: 0 });
  expect(await tablesWith(dataDir, 'newperson')).toEqual([KEPT]);
});

test('on a new machine the restore says what is missing, and a list erases them again, once', async () => {
  const fresh = await clusters.folder();
  const env = { DATA_DIR: fresh };
  const restored = await runHere(['restore', backup], env);
  expect(restored).toMatchObject({ code: 0, stderr: expect.stringContaining('erasures apply FILE') });
  // One server for all that follows, which joins it.
  const database = await clusters.open(fresh);
  expect(await tablesWith(fresh, 'livingperson')).toEqual([KEPT]);
  await call(fresh, async (send) => {
    const { id } = await send('POST', '/workspaces/1/contacts', { first_name: 'newperson' });
    expect(id).toBe(laterId);
  });
  expect(await runJsonHere(['erasures', 'apply', list], env)).toEqual({ listed: 3, erased_again: 2 });
  await expectErased(fresh);
  expect(await tablesWith(fresh, 'newperson')).toEqual([KEPT]);
  expect(await runJsonHere(['erasures', 'apply', list], env)).toEqual({ listed: 3, erased_again: 0 });
  expect((await runHere(['erasures', 'list'], env)).stdout.split('\n')).toHaveLength(4);
  await database.release();
});

test('a list contains no personal data, and a file that is not a list changes nothing', async () => {
  const text = await readFile(list, 'utf8');
  expect(text.trim().split('\n')).toHaveLength(3);
  for (const person of [...people, 'laterperson']) expect(text).not.toContain(person);
  const wrong = join(folder.path, 'wrong.jsonl');
  const database = await clusters.open(dataDir);
  for (const line of [
    'nonsense',
    '{}',
    'null',
    '{"action":"contact.updated","workspace_id":1,"contact_id":1}',
  ]) {
    await writeFile(wrong, `${text}${line}\n`);
    const refused = await runHere(['erasures', 'apply', wrong], { DATA_DIR: dataDir });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('(line 4)') });
  }
  const missing = await runHere(['erasures', 'apply', join(folder.path, 'none')], { DATA_DIR: dataDir });
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('ENOENT') });
  await database.release();
});
