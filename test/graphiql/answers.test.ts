// What the explorer makes of an answer: tables, CSV, and pictures.
import { describe, expect, test } from 'vitest';
import { toCsv } from '../../src/graphiql/app/answers/csv.ts';
import { compareCells, tablesOf } from '../../src/graphiql/app/answers/lists.ts';
import { measuring } from '../../src/graphiql/app/answers/measured.ts';
import {
  picturesOf,
  type SeriesPicture,
  type WorkflowPicture,
} from '../../src/graphiql/app/answers/pictures.ts';

describe('tables', () => {
  test('are made of connections and lists, wherever they are', () => {
    const data = {
      viewer: { scopes: ['a', 'b'] },
      workspace: {
        contacts: {
          totalCount: 2,
          edges: [{ cursor: 'x', node: { id: 'C1', name: { first: 'Ann' } } }, { node: { id: 'C2' } }],
        },
        orders: {
          nodes: [
            {
              number: 7,
              total: { amount: '1.50', currency: 'EUR' },
              tags: { nodes: [{ name: 'VIP' }, { name: 'New' }] },
            },
          ],
        },
        empty: { nodes: [] },
      },
    };
    expect(tablesOf(data)).toEqual([
      { path: 'viewer.scopes', columns: ['value'], rows: [['a'], ['b']] },
      {
        path: 'workspace.contacts',
        columns: ['id', 'name.first'],
        rows: [
          ['C1', 'Ann'],
          ['C2', null],
        ],
      },
      {
        path: 'workspace.orders',
        columns: ['number', 'total.amount', 'total.currency', 'tags'],
        rows: [[7, '1.50', 'EUR', 'VIP, New']],
      },
      {
        path: 'workspace.orders.tags',
        columns: ['(orders)', 'name'],
        rows: [
          [7, 'VIP'],
          [7, 'New'],
        ],
      },
    ]);
  });

  test('put the lists of several rows together, each with the row that has it', () => {
    const data = {
      funnels: [
        { name: 'A', steps: [{ name: 'one' }] },
        { name: 'B', steps: [{ name: 'two' }, null] },
      ],
    };
    expect(tablesOf(data)[1]).toEqual({
      path: 'funnels.steps',
      columns: ['(funnels)', 'name', 'value'],
      rows: [
        ['A', 'one', null],
        ['B', 'two', null],
        ['B', null, null],
      ],
    });
  });

  test('sort numbers by value, also large ones in strings, and empty cells last', () => {
    const sorted = ['10', 9, null, '9007199254740993', '-2.5'].toSorted(compareCells);
    expect(sorted).toEqual(['-2.5', 9, '10', '9007199254740993', null]);
    expect(['b10', 'b9', 'a'].toSorted(compareCells)).toEqual(['a', 'b9', 'b10']);
  });
});

describe('CSV', () => {
  const lineOf = (...row: (string | number | boolean | null)[]) =>
    toCsv({ columns: [], rows: [row] }).slice(2, -2);

  test('quotes what has commas, quotation marks or line breaks', () => {
    expect(lineOf('a,b', 'say "hi"', 'two\nlines', null, 1, true)).toBe(
      '"a,b","say ""hi""","two\nlines",,1,true',
    );
  });

  test.each(['=1+1', '+SUM(A1)', '-cmd', '@x', ' =1+1', '\t=1+1', '\r=1', '＝1+1'])(
    'makes no formula of %j',
    (text) => {
      expect(lineOf(text).replace(/^"/, '')).toMatch(/^'/);
    },
  );

  test('leaves numbers as they are', () => {
    expect(lineOf(-5, '-2.50', '12')).toBe('-5,-2.50,12');
  });
});

const step = (
  id: string,
  name: string,
  views: number | null,
  parent: string | null = null,
  branch: string | null = null,
) => ({
  id,
  name,
  branch,
  parent: parent === null ? null : { id: parent },
  stats: views === null ? null : { uniqueViews: views },
});
const drawn = (steps: readonly object[]) =>
  picturesOf({ funnel: { name: 'F', steps } })[0] as WorkflowPicture;
const named = ({ steps, ways }: WorkflowPicture) =>
  ways.map(({ from, to, branch, share, lost }) => [
    steps[Number(from)]?.name,
    branch,
    steps[Number(to)]?.name,
    share,
    lost,
  ]);

describe('a workflow', () => {
  test('shows how many go on from page to page, and into the branches of a split', () => {
    const picture = drawn([
      step('1', 'Landing', 100),
      step('2', 'Split', null),
      step('3', 'Yes', 30, '2', 'MATCHED'),
      step('4', 'No', 20, '2', 'UNMATCHED'),
      step('5', 'Checkout', 10),
    ]);
    expect(picture.title).toBe('F');
    expect(named(picture)).toEqual([
      ['Landing', '', 'Split', 0.5, 50],
      ['Split', 'MATCHED', 'Yes', 0.6, null],
      ['Split', 'UNMATCHED', 'No', 0.4, null],
      ['Yes', '', 'Checkout', 0.2, 40],
      ['No', '', 'Checkout', 0.2, 40],
    ]);
  });

  test('leads past a branch without steps, and guesses no numbers', () => {
    const picture = drawn([
      step('1', 'A', 10),
      step('2', 'S', null),
      step('3', 'B', 4, '2', 'LEFT'),
      step('4', 'C', 3),
    ]);
    expect(named(picture)).toEqual([
      ['A', '', 'S', null, null],
      ['S', 'LEFT', 'B', null, null],
      ['B', '', 'C', null, null],
      ['S', 'RIGHT', 'C', null, null],
    ]);
  });

  test('can be drawn by names alone, and not without the parents', () => {
    const steps = [
      { name: 'A', branch: null, parent: null },
      { name: 'B', branch: 'MATCHED', parent: { name: 'A' } },
    ];
    expect(named(drawn(steps))).toEqual([['A', 'MATCHED', 'B', null, null]]);
    expect(picturesOf({ steps: [{ name: 'A' }, { name: 'B' }] })).toEqual([]);
  });
});

test('a series by day has a line for each number, and for each currency', () => {
  const series = [
    { day: '2026-01-02', views: 2, sales: [] },
    { day: '2026-01-01', views: 1, sales: [{ amount: '5.00', currency: 'EUR' }] },
  ];
  const [picture] = picturesOf({ stats: { series } }) as SeriesPicture[];
  expect(picture?.times).toEqual([1_767_225_600, 1_767_312_000]);
  expect(picture?.lines).toEqual([
    { label: 'views', currency: '', values: [1, 2] },
    { label: 'sales EUR', currency: 'EUR', values: [5, 0] },
  ]);
});

describe('the measurement of a request', () => {
  const cost = { points: 2, rows: 40, limit: 600 };
  const send = (headers: Record<string, string>, body: object) => {
    const asked: (string | null)[] = [];
    const answer = measuring(async (_, init) => {
      asked.push(new Headers(init?.headers).get('graphql-cost'));
      return Response.json(body, { status: 200 });
    })('http://localhost/graphql', { headers });
    return answer.then(async (response) => [asked, await response.json()]);
  };

  test('asks for the cost, and keeps it out of the answer', async () => {
    expect(await send({}, { data: {}, extensions: { cost } })).toEqual([['1'], { data: {} }]);
    expect(await send({}, { data: {}, extensions: { cost, other: 1 } })).toEqual([
      ['1'],
      { data: {}, extensions: { other: 1 } },
    ]);
  });

  test('leaves it there for a person who asks for it', async () => {
    const body = { data: {}, extensions: { cost } };
    expect(await send({ 'GraphQL-Cost': '1' }, body)).toEqual([['1'], body]);
  });
});
