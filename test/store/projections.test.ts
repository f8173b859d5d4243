// Projections and their prepared statements are cached in bounded numbers, fairly between teams.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from '../../src/output/log.ts';
import { contact } from '../../src/resources/contacts.ts';
import { funnel } from '../../src/resources/funnels.ts';
import { BlockRow, textOf } from '../../src/rows/row-block.ts';
import { insertRows } from '../../src/store/changing/insert-rows.ts';
import { createStatementNames } from '../../src/store/connections/prisma.ts';
import { createReaders, type Readers } from '../../src/store/pipelining/readers.ts';
import { MAX_PREPARED_PROJECTIONS } from '../../src/store/pipelining/statement-names.ts';
import { project } from '../../src/store/reading/projections.ts';
import { tableOf } from '../../src/store/tables/tables.ts';
import * as factories from '../support/factories.ts';
import { type Caller, createGateway, type Gateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { intercept } from '../support/graphql-statements.ts';

const CONTACTS = tableOf(contact);
const FUNNELS = tableOf(funnel);

let gateway: Gateway;
/** Readers with a single connection. */
let readers: Readers;

beforeAll(async () => {
  gateway = await createGateway();
  const { connection } = gateway.app.store;
  readers = createReaders({
    count: 1,
    connection,
    answerTimeoutMs: 60_000,
    log: createLogger('silent', { write() {} }),
  });
});
afterAll(async () => {
  await readers.close();
  await gateway.close();
});

const GREEDY = 1n;
const MODEST = 2n;
const projected = (name: string) => ({ name, text: `select $1::int, '${name}'`, isProjection: true });

async function read(name: string, tenantId: bigint, value = 1): Promise<void> {
  const rows = await readers.read(projected(name), [value], tenantId);
  expect(
    rows.map((block, index) => [0, 1].map((field) => textOf(new BlockRow(block, index), field))),
  ).toEqual([[String(value), name]]);
}

/** The prepared statements of the connection: the time of preparation by text. */
async function prepared(): Promise<Map<string, string>> {
  const rows = await readers.read(
    { name: '', text: 'select statement, prepare_time::text from pg_prepared_statements where $1::int = 1' },
    [1],
  );
  return new Map(
    rows.map((block, index) => {
      const row = new BlockRow(block, index);
      return [textOf(row, 0) ?? '', textOf(row, 1) ?? ''];
    }),
  );
}

test('for any number of one team’s projections, a connection keeps a bounded number of statements, and other teams’ stay prepared', async () => {
  const modest = ['mine 1', 'mine 2', 'mine 3'];
  for (const name of modest) await read(name, MODEST);
  const before = await prepared();
  for (let round = 0; round < 3; round++) {
    for (let index = 0; index < 3 * MAX_PREPARED_PROJECTIONS; index++) await read(`greedy ${index}`, GREEDY);
    expect((await prepared()).size).toBeLessThanOrEqual(MAX_PREPARED_PROJECTIONS);
  }
  const after = await prepared();
  for (const name of modest) {
    const { text } = projected(name);
    expect(before.get(text)).toBeDefined();
    expect(after.get(text)).toBe(before.get(text));
  }
});

test('more concurrent projections than a connection keeps are all answered correctly, and no more are kept', async () => {
  const names = Array.from({ length: 4 * MAX_PREPARED_PROJECTIONS }, (_, index) => `at once ${index}`);
  for (let round = 0; round < 3; round++)
    await Promise.all([...names, ...names].map((name, index) => read(name, BigInt(index % 5), index)));
  expect((await prepared()).size).toBeLessThanOrEqual(MAX_PREPARED_PROJECTIONS);
});

test('the process caches a bounded number of projections, and does not evict those of a team with few', () => {
  const properties = Object.keys(CONTACTS.columns).filter((property) => property !== 'id');
  const subset = (bits: number) => properties.filter((_, index) => bits & (1 << index));
  const mine = project(CONTACTS, subset(0b11), MODEST);
  for (let bits = 1; bits < 2_000; bits++) project(CONTACTS, subset(bits), bits === 0b11 ? MODEST : GREEDY);
  expect(project(CONTACTS, subset(0b11), MODEST)).toBe(mine);
  const first = project(CONTACTS, subset(0b100), GREEDY);
  for (let bits = 2_000; bits < 4_000; bits++) project(CONTACTS, subset(bits), GREEDY);
  expect(project(CONTACTS, subset(0b100), GREEDY)).not.toBe(first);
  expect(project(CONTACTS, properties)).toBe(project(CONTACTS));
});

test('after hundreds of projections by another team a page still reads only its own columns, with correct values', async () => {
  const page = async (caller: Caller, workspaceId: bigint, fields: readonly string[]) => {
    const texts: string[] = [];
    const stop = intercept(gateway, (name, send) => {
      texts.push(name);
      return send();
    });
    const query = `query Subset($id: BigInt!) { workspace(by: { databaseId: $id }) { contacts { nodes { ${fields.join(' ')} } } } }`;
    const variables = { id: String(workspaceId) };
    const { data, errors } = await post(gateway, { query, variables }, { caller }).finally(stop);
    expect(errors).toBeUndefined();
    return { data, names: texts.filter((name) => name.startsWith('contacts.')) };
  };
  const tenant = async () => {
    const workspace = await factories.workspace(gateway.app);
    await factories.contacts(gateway.app, workspace.id, 3);
    return { workspace, caller: await factories.apiKey(gateway.app, { teamId: workspace.teamId }) };
  };
  const [greedy, modest] = [await tenant(), await tenant()];
  const scalars = [
    'uuid',
    'firstName',
    'lastName',
    'phoneNumber',
    'timeZone',
    'createdAt',
    'updatedAt',
    'facebookUrl',
    'twitterUrl',
  ];
  // Old enough to be settled: it is read once from then on.
  const { highWaterMarks } = gateway.app.store;
  await page(modest.caller, modest.workspace.id, ['databaseId', 'emailAddress']);
  await highWaterMarks.after(highWaterMarks.asked());
  const before = await page(modest.caller, modest.workspace.id, ['databaseId', 'emailAddress']);
  for (let bits = 1; bits < 500; bits++)
    await page(
      greedy.caller,
      greedy.workspace.id,
      scalars.filter((_, index) => bits & (1 << index)),
    );
  const after = await page(modest.caller, modest.workspace.id, ['databaseId', 'emailAddress']);
  expect(after).toEqual(before);
  expect(before.names).toEqual([expect.stringMatching(/^contacts\.under_id\.asc\.c\d+$/)]);
});

test('Prisma’s statements are named by their text; those with lists of variable length are not', () => {
  const nameOf = createStatementNames();
  const one = nameOf({ sql: 'select a from b where c = $1' });
  expect(nameOf({ sql: 'select a from b where c = $1' })).toBe(one);
  expect(nameOf({ sql: 'select a from b where c = $1 and d = $2' })).not.toBe(one);
  expect(nameOf({ sql: 'update "b" set x = $1 where ("id" IN ($2,$3) and 1=1)' })).toBe('');
  expect(nameOf({ sql: 'insert into b (x, y) values ($1,$2), ($3,$4)' })).toBe('');
  const names = new Set(Array.from({ length: 5_000 }, (_, index) => nameOf({ sql: `select ${index}` })));
  expect(names.size).toBeLessThanOrEqual(500);
});

test('rows of a distributed store have one text for all workspaces, which is prepared only for a single row', async () => {
  const nameOf = createStatementNames();
  const sent: string[] = [];
  const tx = {
    $queryRawUnsafe: async (sql: string) => {
      sent.push(nameOf({ sql }));
      return [] as never;
    },
  };
  for (const workspaceId of [1n, 2n])
    for (const rows of [[[1n]], [[1n], [2n]]])
      await insertRows(tx, {
        ...{ insert: 'insert into contact_tags (workspace_id, tag_id)', workspaceId },
        ...{ types: ['bigint'], rows, returning: 'id' },
      });
  expect(sent).toEqual(['prisma_0', '', 'prisma_0', '']);
});

test('for any number of projections of nested rows, a bounded number is kept, and other teams’ stay', () => {
  const subsets = (properties: readonly string[]) =>
    Array.from({ length: 32 }, (_, bits) => properties.slice(0, 5).filter((_, bit) => (bits >> bit) & 1));
  const both = (ofFunnels: readonly string[], ofSteps: readonly string[], tenantId: bigint) =>
    project(FUNNELS, [...ofFunnels, `steps(${ofSteps.join(' ')})`], tenantId);
  const ofFunnels = Object.keys(FUNNELS.columns).filter((column) => !['id', 'workspaceId'].includes(column));
  const modest = both(ofFunnels, [], MODEST);
  const greedy = subsets(ofFunnels).flatMap((funnels) =>
    subsets(['publicId', 'name', 'filterPublicId', 'createdAt', 'updatedAt']).map((steps) => ({
      funnels,
      steps,
    })),
  );
  const made = greedy.map(({ funnels, steps }) => both(funnels, steps, GREEDY));
  expect(new Set(made).size).toBe(greedy.length);
  const [first] = greedy;
  expect(both(first?.funnels ?? [], first?.steps ?? [], GREEDY)).not.toBe(made[0]);
  expect(both(ofFunnels, [], MODEST)).toBe(modest);
});

test('a page reads one row more than it returns only if the caller asks whether there are more', async () => {
  const { teamId, id } = await factories.workspace(gateway.app);
  await factories.contacts(gateway.app, id, 7);
  const caller = await factories.apiKey(gateway.app, { teamId });
  const limitsOf = async (selection: string, fragment = '') => {
    const limits: unknown[] = [];
    const stop = intercept(gateway, (name, send, values) => {
      if (name.startsWith('contacts.under_id.')) limits.push(values['limit']);
      return send();
    });
    const query = `{ workspace(by: { databaseId: ${id} }) { contacts(first: 5) { nodes { id } ${selection} } } } ${fragment}`;
    const { errors } = await post(gateway, { query }, { caller }).finally(stop);
    expect(errors).toBeUndefined();
    // New rows are read again.
    return [...new Set(limits)];
  };
  expect(await limitsOf('')).toEqual([5]);
  expect(await limitsOf('totalCount edges { cursor }')).toEqual([5]);
  expect(await limitsOf('pageInfo { hasNextPage }')).toEqual([6]);
  expect(await limitsOf('...P', 'fragment P on ContactConnection { pageInfo { hasNextPage } }')).toEqual([6]);
  expect(await limitsOf('nodes { createdAt } pageInfo { hasPreviousPage }')).toEqual([6]);
});
