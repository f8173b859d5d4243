// Building a workflow over REST: conditional splits and split tests as in the public API, what is refused, what is recorded.
import { expect, test } from 'vitest';
import { MAX_STEPS } from '../../src/services/funnels/locked-workflows.ts';
import { addPageStep } from '../../src/services/funnels/page-steps.ts';
import { END, ENTRY, onePlaceName } from '../../src/services/funnels/step-places.ts';
import { inTransaction } from '../../src/store/connections/executor.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { statementsOf } from '../support/graphql-statements.ts';
import { untilWaiting } from '../support/lock-waits.ts';
import { prismaOf } from '../support/prisma.ts';
import { expectProblem } from '../support/problem.ts';
import { type Built, build } from '../support/removals.ts';
import { allIds, json, walk } from '../support/walk.ts';

const gateway = await sharedGateway();
const { app } = gateway;
const { id: workspaceId, teamId } = await factories.workspace(app);
const caller = await factories.apiKey(app, { teamId });
const filter = await factories.refineFilter(app, { workspaceId });

interface Split {
  readonly id: number;
  readonly public_id: string;
  readonly condition: object;
  readonly branches: { show_page_step: { id: number } | null; page: { id: number } | null }[];
}

async function send(path: string, method = 'GET', body?: unknown, by = caller, headers = {}) {
  const given = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return gateway.send(`/api/v2${path}`, { caller: by, method, headers: { ...type, ...headers }, ...given });
}

const splitsOf = ({ funnel }: Built) => `/funnels/${funnel.id}/conditional_split_steps`;
const testsOf = ({ funnel }: Built) => `/funnels/${funnel.id}/split_test_steps`;
const freePage = async () => {
  const { id, publicId } = await factories.page(app, workspaceId, `Free ${crypto.randomUUID()}`);
  return { id: Number(id), publicId };
};
const make = () =>
  build(gateway, workspaceId, ['Entry', { split: 'Split', matched: ['M', 'N'], unmatched: ['U'] }, 'Thanks']);
const made = async (response: Response): Promise<Split> => {
  expect(response.status).toBe(201);
  return json(response);
};

/** The structure in one line: names of steps, branches in brackets. */
async function outlineOf({ funnel }: Pick<Built, 'funnel'>): Promise<string> {
  interface Step {
    name: string;
    branches?: { steps: Step[] }[];
    variants?: { weight: number; steps: Step[] }[];
  }
  const line = (steps: Step[]): string =>
    steps
      .map(({ name, branches, variants }) => {
        const below = branches ?? variants;
        const weight = variants ? `${variants.map((variant) => variant.weight).join(':')} ` : '';
        return below === undefined
          ? name
          : `${name}[${weight}${below.map(({ steps }) => line(steps)).join(' | ')}]`;
      })
      .join(', ');
  return line((await json<{ steps: Step[] }>(await send(`/funnels/${funnel.id}/structure`))).steps);
}

test('an empty split is at the entry, and is not set up', async () => {
  const built = await make();
  const response = await send(splitsOf(built), 'POST', {});
  const split = await made(response.clone());
  expect(new URL(response.headers.get('location') ?? '').pathname).toBe(
    `/api/v2${splitsOf(built)}/${split.id}`,
  );
  expect(split).toMatchObject({
    funnel_id: Number(built.funnel.id),
    condition: { filter_id: null, is_setup: false },
    branches: [
      { show_page_step: null, page: null },
      { show_page_step: null, page: null },
    ],
  });
  expect(await json(await send(`${splitsOf(built)}/${split.public_id}`))).toEqual(split);
  expect(await outlineOf(built)).toBe('Conditional split[ | ], Entry, Split[M, N | U], Thanks');
});

test.each(['id', 'publicId'] as const)(
  'a split with all it can have is put behind a step, by its %s',
  async (by) => {
    const built = await make();
    const [a, b, c] = [await freePage(), await freePage(), await freePage()];
    const anchor = built.step('M')[by];
    const body = {
      conditional_split_step: {
        condition: { filter_id: filter.publicId },
        branches: [{ page_id: a.id }, { page_ids: [b.id, c.id] }],
        show_page_step_id: by === 'id' ? Number(anchor) : anchor,
      },
    };
    const split = await made(await send(splitsOf(built), 'POST', body));
    expect(split.condition).toMatchObject({
      filter_id: filter.publicId,
      is_setup: true,
      filter: { id: Number(filter.id) },
    });
    expect(split.branches.map(({ page }) => page?.id)).toEqual([a.id, b.id]);
    expect(await outlineOf(built)).toMatch(
      /^Entry, Split\[M, Conditional split\[Free [^,|]* \| Free [^,|]*, Free [^|]*\], N \| U\], Thanks$/,
    );
  },
);

test('a change swaps the first page of a branch, appends others, and keeps the ids of steps', async () => {
  const built = await make();
  const path = `${splitsOf(built)}/${built.step('Split').id}`;
  const [first, more] = [await freePage(), await freePage()];
  const tag = (await send(path)).headers.get('etag') ?? '';
  const body = {
    condition: { filter_id: filter.publicId },
    branches: [{ page_id: first.publicId }, { page_ids: [more.id] }],
  };
  await expectProblem(
    await send(path, 'PATCH', body, caller, { 'If-Match': '"other"' }),
    'precondition_failed',
  );
  const changed = await json<Split>(await send(path, 'PATCH', body, caller, { 'If-Match': tag }));
  expect(changed.condition).toMatchObject({ is_setup: true });
  expect(changed.branches).toMatchObject([
    { show_page_step: { id: Number(built.step('M').id) }, page: { id: first.id } },
    { show_page_step: { id: Number(built.step('U').id) } },
  ]);
  expect(await outlineOf(built)).toMatch(/^Entry, Split\[Free [^,]*, N \| U, Free .*\], Thanks$/);
  // Absent members stay unchanged, within the condition too.
  for (const nothing of [
    ...[{}, { condition: {} }, { branches: [{}, {}] }],
    ...[{ branches: [{ page_id: null, page_ids: null }, { page_id: null }] }],
  ])
    expect(await json<Split>(await send(path, 'PATCH', nothing))).toEqual(changed);
  expect((await json<Split>(await send(path, 'PATCH', { condition: null }))).condition).toEqual({
    filter_id: null,
    is_setup: false,
  });
  await send(path, 'PATCH', { condition: { filter_id: filter.publicId } });
  // The page that was swapped out stands alone, and can be used again.
  const again = {
    branches: [{ page_id: Number(built.step('M').pageId) }, {}],
    condition: { filter_id: null },
  };
  expect((await json<Split>(await send(path, 'PATCH', again))).condition).toEqual({
    filter_id: null,
    is_setup: false,
  });
  // The same page again is not a page of another step.
  expect((await send(path, 'PATCH', again)).status).toBe(200);
});

test('errors of a split are reported as by the public API, and nothing is changed', async () => {
  const built = await make();
  const elsewhere = await factories.workspace(app, { teamId });
  const foreign = Number((await factories.page(app, elsewhere.id, 'Foreign')).id);
  const theirs = await factories.refineFilter(app, { workspaceId: elsewhere.id });
  const ofOrders = await factories.refineFilter(app, { workspaceId, filterClass: 'OrdersFilter' });
  const free = await freePage();
  const used = Number(built.step('Thanks').pageId);
  const before = await outlineOf(built);
  for (const [body, code, detail] of [
    [
      { condition: { filter_id: String(filter.id) } },
      'invalid',
      'condition.filter_id must be a stable identifier, not a raw numeric id.',
    ],
    [
      { condition: { filter_id: Number(filter.id) } },
      'invalid',
      'condition.filter_id must be a stable identifier, not a raw numeric id.',
    ],
    [
      { condition: { filter_id: theirs.publicId } },
      'invalid',
      'condition.filter_id not found in this workspace.',
    ],
    [
      { condition: { filter_id: ofOrders.publicId } },
      'invalid',
      'condition.filter_id not found in this workspace. A split decides by a ContactsFilter.',
    ],
    [{ condition: { filter: filter.publicId } }, 'invalid', 'Give at least one of these: filter_id.'],
    [{ condition: [{ filter_id: filter.publicId }] }, 'invalid', 'condition must be an object.'],
    [{ condition: { filter_id: 'nothing!' } }, 'invalid', 'condition.filter_id not found in this workspace.'],
    [
      { branches: [{}, { page_id: foreign }] },
      'bad_request',
      'branches[1].page_id not found in this workspace.',
    ],
    [
      { branches: [{ page_id: used }] },
      'invalid',
      'branches[0].page_id is already used by another funnel step.',
    ],
    [
      { branches: [{ page_id: free.id }, { page_id: free.id }] },
      'invalid',
      'branches[1].page_id is already used by another funnel step.',
    ],
    [
      { branches: [{ page_id: free.id, page_ids: [free.id] }] },
      'bad_request',
      'branches[0] must provide either page_id or page_ids, not both.',
    ],
    [{ branches: [{ page: free.id }] }, 'invalid', /Unknown member branches\[0\]\.page\./],
    [{ branches: [{}, {}, {}] }, 'invalid', /branches must have at most 2/],
    [{ show_page_step_id: 999_999_999 }, 'invalid', /show_page_step_id must be a step of the funnel/],
  ] as const) {
    const problem = await expectProblem(await send(splitsOf(built), 'POST', body), code);
    expect(problem.detail).toMatch(detail);
  }
  const path = `${splitsOf(built)}/${built.step('Split').id}`;
  await expectProblem(await send(path, 'PATCH', { branches: [{}] }), 'invalid');
  await expectProblem(await send(`${splitsOf(built)}/${built.step('M').id}`, 'PATCH', {}), 'not_found');
  await expectProblem(await send(`/funnels/999999999/conditional_split_steps`, 'POST', {}), 'not_found');
  expect(await outlineOf(built)).toBe(before);
});

test('a split test takes the place of the tested page, and is removed like a split', async () => {
  const built = await make();
  const free = await freePage();
  const variants = [{ page_id: Number(built.step('N').pageId), weight: 70 }, { page_id: free.id }];
  const test = await json<object & { id: number; public_id: string }>(
    await send(testsOf(built), 'POST', { split_test_step: { variants } }),
  );
  expect(test).toEqual({
    ...{ id: expect.any(Number), public_id: expect.any(String) },
    funnel: { id: Number(built.funnel.id), public_id: built.funnel.publicId, name: expect.any(String) },
    variants: [
      {
        show_page_step: expect.objectContaining({ id: Number(built.step('N').id) }),
        page: expect.objectContaining({ name: 'N' }),
        weight: 70,
      },
      { show_page_step: expect.anything(), page: expect.objectContaining({ id: free.id }), weight: 30 },
    ],
    ...{ created_at: expect.any(String), updated_at: expect.any(String) },
  });
  expect(await outlineOf(built)).toMatch(
    /^Entry, Split\[M, Split test\[70:30 N \| Free [^|]*\] \| U\], Thanks$/,
  );
  const path = `${testsOf(built)}/${test.public_id}`;
  expect(await json(await send(path))).toEqual(test);
  const changed = await json(await send(path, 'PATCH', { variants: [{ weight: 5 }, {}] }));
  expect(changed).toMatchObject({ variants: [{ weight: 5 }, { weight: 95 }] });
  await expectProblem(await send(`${splitsOf(built)}/${test.id}`, 'DELETE'), 'not_found');
  await expectProblem(await send(`${path}?branch=matched`, 'DELETE'), 'invalid');
  expect((await send(`${path}?branch=right`, 'DELETE')).status).toBe(204);
  expect(await outlineOf(built)).toBe('Entry, Split[M, N | U], Thanks');
  await expectProblem(await send(path, 'DELETE'), 'not_found');
});

test('errors of a split test are reported', async () => {
  const built = await make();
  const [free, other] = [await freePage(), await freePage()];
  const entry = { page_id: Number(built.step('Entry').pageId) };
  for (const [variants, code] of [
    [[entry], 'invalid'],
    [[], 'invalid'],
    [[{ page_id: free.id }, { page_id: other.id }], 'invalid'],
    [[entry, { page_id: Number(built.step('U').pageId) }], 'invalid'],
    [[entry, {}], 'invalid'],
    [
      [
        { ...entry, weight: 60 },
        { page_id: free.id, weight: 60 },
      ],
      'invalid',
    ],
    [[{ ...entry, weight: 101 }, { page_id: free.id }], 'invalid'],
    [[entry, { page_id: 999_999_999 }], 'bad_request'],
  ] as const)
    await expectProblem(await send(testsOf(built), 'POST', { variants }), code);
  expect(await outlineOf(built)).toBe('Entry, Split[M, N | U], Thanks');
});

test('the split tests of a funnel are listed page by page, in both directions', async () => {
  const built = await make();
  const ids: bigint[] = [];
  for (const name of ['Entry', 'M', 'Thanks']) {
    const variants = [{ page_id: Number(built.step(name).pageId) }, { page_id: (await freePage()).id }];
    ids.push(BigInt((await made(await send(testsOf(built), 'POST', { variants }))).id));
  }
  for (const order of ['asc', 'desc']) {
    const pages = await walk(gateway, `/api/v2${testsOf(built)}?per_page=2&sort_order=${order}`, { caller });
    expect(allIds(pages)).toEqual(order === 'asc' ? ids : ids.toReversed());
  }
});

test('a dry run returns the result of a removal, and changes nothing; a misspelt dry_run removes nothing', async () => {
  const built = await make();
  const path = `${splitsOf(built)}/${built.step('Split').id}`;
  const before = [await outlineOf(built), (await send(`/funnels/${built.funnel.id}`)).headers.get('etag')];
  const dry = await send(`${path}?branch=matched&dry_run=true`, 'DELETE');
  expect(dry.status).toBe(200);
  expect(await dry.json()).toMatchObject({
    promoted_pages: [{ name: 'U' }],
    discarded_pages: [{ name: 'M' }, { name: 'N' }],
  });
  for (const slip of [
    ...[
      'dry_run',
      'dry_run=',
      'dry_run=1',
      'dry_run=TRUE',
      'dry_run=true&dry_run=true',
      'dry_run=true&dry_run=false',
    ],
    ...[
      'dryrun=true',
      'dryRun=true',
      'dry-run=true',
      'dryrn=true',
      'dry=true',
      'Dry_Run=true',
      'dry_run[]=true',
      'step[dry_run]=true',
      'is_dry_run=true',
      'dr_run=true',
      'dty_run=true',
      'drry_run=true',
      'rdy_run=true',
      'dryrun=false&dry_run=true',
    ],
  ])
    await expectProblem(await send(`${path}?${slip}`, 'DELETE'), 'invalid');
  for (const said of [
    { dry_run: true },
    { branch: 'matched' },
    ['dry_run'],
    'dry_run',
    { x: 'y'.repeat(100) },
  ])
    for (const at of [path, path.replace('conditional_split', 'split_test')])
      expect(await expectProblem(await send(at, 'DELETE', said), 'invalid')).toMatchObject({
        errors: [{ field: 'body' }],
      });
  const tag = { 'If-Match': '"other"' };
  await expectProblem(
    await send(`${path}?dry_run=true`, 'DELETE', undefined, caller, tag),
    'precondition_failed',
  );
  expect([await outlineOf(built), (await send(`/funnels/${built.funnel.id}`)).headers.get('etag')]).toEqual(
    before,
  );
  // As sent by clients that always send a body.
  expect((await send(`${path}?dry_run=false&branch=matched`, 'DELETE', [])).status).toBe(204);
  await expectProblem(await send(`${path}?dry_run=true`, 'DELETE'), 'not_found');
});

test('a change gives the funnel another entity tag, and leaves one audit entry with the structure before and after', async () => {
  const built = await make();
  const tagOf = async () => (await send(`/funnels/${built.funnel.id}`)).headers.get('etag');
  const entriesOf = () =>
    prismaOf(app.store).auditEntry.findMany({
      where: { workspaceId, subjectType: 'Funnel', subjectId: built.funnel.id },
      orderBy: { id: 'asc' },
    });
  const tags = [await tagOf()];
  const { id } = await made(
    await send(splitsOf(built), 'POST', {}, caller, { 'Idempotency-Key': `once-${built.funnel.id}` }),
  );
  tags.push(await tagOf());
  // A retry is the same split, and no other change.
  const again = await made(
    await send(splitsOf(built), 'POST', {}, caller, { 'Idempotency-Key': `once-${built.funnel.id}` }),
  );
  expect(again.id).toBe(id);
  await send(`${splitsOf(built)}/${id}`, 'PATCH', { condition: { filter_id: filter.publicId } });
  tags.push(await tagOf());
  expect(new Set(tags).size).toBe(3);
  const names = ['Entry', 'Split', 'M', 'N', 'U', 'Thanks'];
  const listed = names.map((name) => expect.objectContaining({ id: Number(built.step(name).id), name }));
  const split = { id, kind: 'conditional_split', name: 'Conditional split' };
  expect(await entriesOf()).toMatchObject([
    {
      action: 'funnel.conditional_split_created',
      before: { structure: listed },
      after: { step_id: id, structure: [split, ...listed] },
    },
    {
      action: 'funnel.conditional_split_changed',
      before: { structure: [split, ...listed] },
      after: { structure: [{ ...split, filter_id: Number(filter.id) }, ...listed] },
    },
  ]);
});

test('the retry of a change whose split was removed since gets 410: its answer no longer exists', async () => {
  const built = await make();
  const variants = [{ page_id: Number(built.step('Entry').pageId) }, { page_id: (await freePage()).id }];
  for (const [path, body, change] of [
    [splitsOf(built), {}, { condition: { filter_id: filter.publicId } }],
    [testsOf(built), { variants }, { variants: [{ weight: 20 }, { weight: 80 }] }],
  ] as const) {
    const key = { 'Idempotency-Key': crypto.randomUUID() };
    const { id } = await made(await send(path, 'POST', body, caller, key));
    expect((await send(`${path}/${id}`, 'PATCH', change, caller, key)).status).toBe(200);
    expect((await send(`${path}/${id}`, 'DELETE')).status).toBe(204);
    await expectProblem(await send(path, 'POST', body, caller, key), 'gone');
    await expectProblem(await send(`${path}/${id}`, 'PATCH', change, caller, key), 'gone');
    await expectProblem(await send(`${path}/${id}`, 'PATCH', change, caller), 'not_found');
    await expectProblem(await send(`${path}/${id}`, 'DELETE'), 'not_found');
  }
});

test('a caller who may only change funnels sees the ids of the new objects, and the input', async () => {
  const built = await make();
  const writer = await factories.apiKey(app, { teamId, scopes: ['funnels:write'] });
  const split = await made(
    await send(splitsOf(built), 'POST', { condition: { filter_id: filter.publicId } }, writer),
  );
  expect(split.condition).toEqual({ filter_id: filter.publicId });
  expect(Object.keys(split)).not.toContain('branches');
  const reader = await factories.apiKey(app, { teamId, scopes: ['funnels:read'] });
  await expectProblem(await send(splitsOf(built), 'POST', {}, reader), 'insufficient_scope');
  await expectProblem(
    await send(`${splitsOf(built)}/${split.id}?dry_run=true`, 'DELETE', undefined, reader),
    'insufficient_scope',
  );
});

test('a page that is deleted while a step for it is added is not found', async () => {
  const built = await make();
  const { id } = await freePage();
  const { sent } = await inTransaction(app.store.pool, async (tx) => {
    await tx.$executeRawUnsafe(
      'delete from pages where workspace_id = $1::bigint and id = $2::bigint',
      workspaceId,
      id,
    );
    const sent = send(splitsOf(built), 'POST', { branches: [{ page_id: id }] });
    await untilWaiting(app, 1);
    return { sent };
  });
  expect((await expectProblem(await sent, 'bad_request')).detail).toBe(
    'page_id not found in this workspace.',
  );
});

/** The number of statements that adding a page at the entry takes, within a transaction of somebody else. */
async function statementsOfAdding(funnel: Built['funnel'], place = ENTRY): Promise<number> {
  const page = await factories.page(app, workspaceId, 'Added');
  const statements = await statementsOf(gateway, () =>
    prismaOf(app.store).$transaction(async (tx) => {
      const names = { page: 'page_id', place: onePlaceName('place') };
      const { record } = await addPageStep(tx, funnel, page.id, place, names);
      expect(record).toMatchObject({ action: 'page_step_added', subjectId: funnel.id });
    }),
  );
  return statements.length;
}

test('a full funnel takes no more statements than a small one, and one step more is refused', async () => {
  const [small, full] = [await build(gateway, workspaceId, ['A']), await build(gateway, workspaceId, [])];
  const steps = MAX_STEPS - 2;
  await prismaOf(app.store).$executeRaw`insert into pages (workspace_id, name, current_path)
    select ${workspaceId}, 'Full ' || i, '/full-' || ${full.funnel.id} || '-' || i from generate_series(1, ${steps}::int) i`;
  await prismaOf(app.store)
    .$executeRaw`insert into funnel_steps (workspace_id, funnel_id, kind, position, name, page_id)
    select workspace_id, ${full.funnel.id}, 'page', row_number() over (order by id) - 1, name, id from pages
    where workspace_id = ${workspaceId} and current_path like '/full-' || ${full.funnel.id} || '-%'`;
  expect(await statementsOfAdding(full.funnel)).toBe(await statementsOfAdding(small.funnel));
  const read = await statementsOf(gateway, () => send(`/funnels/${full.funnel.id}/structure`));
  expect(read.length).toBeLessThanOrEqual(3);
  await statementsOfAdding(full.funnel, END);
  await expect(statementsOfAdding(full.funnel)).rejects.toThrow(`at most ${MAX_STEPS} steps`);
  const problem = await expectProblem(await send(splitsOf(full), 'POST', {}), 'invalid');
  expect(problem.detail).toContain(`at most ${MAX_STEPS} steps`);
  const positions = await prismaOf(app.store).funnelStep.findMany({
    where: { workspaceId, funnelId: full.funnel.id },
    orderBy: { position: 'asc' },
  });
  expect(positions.map(({ position }) => position)).toEqual(
    Array.from({ length: MAX_STEPS }, (_, index) => index),
  );
});

test('the database refuses a branch that the parent does not have, and an invalid weight', async () => {
  const built = await make();
  const prisma = prismaOf(app.store);
  const row = { workspaceId, funnelId: built.funnel.id, kind: 'split_test', name: 'x' } as const;
  const parentId = built.step('Split').id;
  const insert = (data: object) => prisma.funnelStep.createMany({ data: [{ ...row, position: 9, ...data }] });
  for (const data of [
    { leftWeight: 50, parentId, branch: 'left' as const },
    { leftWeight: 101 },
    { leftWeight: -1 },
    {},
    { kind: 'conditional_split' as const, leftWeight: 50 },
  ])
    await expect(insert(data)).rejects.toThrow(/constraint/i);
  await expect(insert({ leftWeight: 100, parentId, branch: 'matched' })).resolves.toEqual({ count: 1 });
});
