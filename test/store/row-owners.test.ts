// Rows reach only their owner: whatever mixture of rows a statement returns, either all are the caller's or none is passed on.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLogger } from '../../src/output/log.ts';
import { NOUNS } from '../../src/resources/nouns.ts';
import { tableNamed } from '../../src/store/tables/tables.ts';
import {
  createRowGuard,
  ForeignRows,
  type OwnerKind,
  type Owners,
} from '../../src/store/tenancy/row-owners.ts';
import { toBlock } from '../support/row-block.ts';

/** Workspace n is of team n modulo 3; from 20 on they do not exist. */
const teamOf = (workspace: number) => (workspace < 20 ? workspace % 3 : null);

function createGuard() {
  let asked = 0;
  const lines: string[] = [];
  const lookups = {
    async read(_: unknown, [team, ids]: unknown[]) {
      asked += 1;
      const own = (ids as string[]).filter((id) => teamOf(Number(id)) === Number(team));
      return toBlock(...own.map((id) => [id]));
    },
  };
  const guard = createRowGuard(lookups as never, createLogger('info', { write: (line) => lines.push(line) }));
  return { guard, lines, asked: () => asked };
}

const ids = fc.array(fc.option(fc.integer({ min: 0, max: 25 })), { maxLength: 30 });
const callers = fc.record({
  teamId: fc.bigInt({ min: 0n, max: 2n }),
  workspaceIds: fc.option(fc.array(fc.bigInt({ min: 0n, max: 25n }), { minLength: 1, maxLength: 8 })),
});

test('a block is passed on if and only if every row is of a workspace that the caller reaches', async () => {
  const { guard } = createGuard();
  const owners: Owners = [{ of: 'workspace', field: 1, row: 0 }];
  await fc.assert(
    fc.asyncProperty(ids, callers, async (workspaces, tenancy) => {
      // A row of nulls counts as none, as in an outer join.
      const block = toBlock(...workspaces.map((id) => (id === null ? [null, null] : ['1', `${id}`])));
      const isOwn = workspaces.every(
        (id) =>
          id === null ||
          (teamOf(id) === Number(tenancy.teamId) && (tenancy.workspaceIds?.includes(BigInt(id)) ?? true)),
      );
      const given = (async () => guard.requireOwn(block, owners, tenancy, 'test'))();
      if (isOwn) expect(await given).toBe(block);
      else await expect(given).rejects.toThrow(ForeignRows);
    }),
    { numRuns: 500, endOnFailure: true },
  );
});

test.each<[OwnerKind, string, readonly bigint[] | null, boolean]>([
  ['team', '1', null, true],
  ['team', '1', [4n], true],
  ['team', '2', null, false],
  ['whole team', '1', null, true],
  ['whole team', '1', [4n], false],
  ['whole team', '2', null, false],
  ['narrowed workspace', '4', [4n], true],
  ['narrowed workspace', '7', [4n], false],
  ['workspace', '4', [7n], false],
])('%s %s for a caller of team 1 narrowed to %s: %s', async (of, id, workspaceIds, isOwn) => {
  const { guard, lines } = createGuard();
  const rows = toBlock([id]);
  const given = (async () =>
    guard.requireOwn(rows, [{ of, field: 0, row: 0 }], { teamId: 1n, workspaceIds }, 'test'))();
  if (isOwn) expect(await given).toBe(rows);
  else {
    await expect(given).rejects.toThrow(ForeignRows);
    expect([guard.refused, JSON.parse(lines[0] ?? '')]).toMatchObject([
      1,
      { level: 'error', statement: 'test' },
    ]);
  }
});

test('a row without an owner, and a block without owners, are refused', () => {
  const { guard } = createGuard();
  const caller = { teamId: 1n, workspaceIds: null };
  const block = toBlock(['1', null]);
  expect(() => guard.requireOwn(block, [{ of: 'workspace', field: 1, row: 0 }], caller, 'test')).toThrow(
    ForeignRows,
  );
  expect(() => guard.requireOwn(block, [], caller, 'test')).toThrow(ForeignRows);
  expect(guard.requireOwn(block, { unowned: 'a count' }, caller, 'test')).toBe(block);
});

test('a workspace is looked up once', async () => {
  const { guard, asked } = createGuard();
  const rows = toBlock(['4'], ['4'], ['7'], ['4']);
  for (let times = 0; times < 3; times++)
    await guard.requireOwn(
      rows,
      [{ of: 'workspace', field: 0, row: 0 }],
      { teamId: 1n, workspaceIds: null },
      'test',
    );
  expect(asked()).toBe(1);
});

test('each table declares the owners of its rows', () => {
  const all = NOUNS.flatMap(({ table }) => tableNamed(table) ?? []);
  expect(all.length).toBeGreaterThan(12);
  for (const { name, owners, columns } of all) {
    expect([name, Object.keys(owners).length > 0]).toEqual([name, true]);
    for (const property of Object.keys(owners)) expect(Object.keys(columns)).toContain(property);
  }
});
