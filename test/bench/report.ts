// The result in its three forms: a table for the terminal, Markdown, one JSON object. Pure.
import type { Row } from './bench.ts';
import type { Machine } from './machine.ts';
import { SUBJECTS } from './subjects.ts';
import { ABOUT } from './webhooks/subjects.ts';

/** null is what was not measured. */
interface Ratios {
  readonly rest_page_vs_limit: number | null;
  readonly rest_page_100_vs_limit: number | null;
  /** Processor time a request, of the gateway / of the Go server; PostgreSQL's is not in it. */
  readonly rest_page_cpu_vs_go: number | null;
  readonly graphql_cpu_vs_go: number | null;
  /** p99 / p50 at half of the rate of full load. */
  readonly rest_page_half_load: number | null;
  readonly graphql_vs_limit: number | null;
  readonly graphql_vs_postgraphile: number | null;
  readonly graphql_vs_stock: number | null;
  readonly nested_vs_postgraphile: number | null;
  readonly shop_page_vs_postgraphile: number | null;
  readonly shop_page_vs_stock: number | null;
  /** Time at nine tenths of the list / time of the first page. */
  readonly deep_page_vs_first: number | null;
  /** Time of a GraphQL operation that is refused inside / time of the same with a good answer. */
  readonly refused_vs_answered: number | null;
  /** How much fewer REST pages a second are served with an access token than with an API key, as a fraction. */
  readonly token_overhead: number | null;
  readonly memory_growth: number | null;
  readonly create_vs_limit: number | null;
  readonly create_vs_postgraphile: number | null;
  readonly create_vs_stock: number | null;
  readonly order_vs_limit: number | null;
  /** Time of a page of 100 through a saved filter / without it, of the worst shape that an index serves. */
  readonly filtered_page_vs_plain: number | null;
  /** Deliveries a second / those of a loop over pg-boss. */
  readonly deliveries_vs_loop: number | null;
  /** Creates a second with events and deliveries / without. */
  readonly create_with_events: number | null;
  /** From commit to first attempt, at half load. */
  readonly first_attempt_p99_ms: number | null;
}

export interface Result {
  readonly machine: Machine;
  readonly ratios: Ratios;
  readonly nested_statements: number | null;
  readonly shop_page_statements: number | null;
  readonly start_seconds: { readonly embedded: number | null; readonly database_url: number | null };
  readonly rows: readonly Row[];
}

interface Goal {
  readonly what: string;
  readonly value: number | null;
  readonly goal: number;
  readonly better: 'higher' | 'lower';
}

function goalsOf({ ratios, nested_statements, shop_page_statements, start_seconds }: Result): Goal[] {
  const atLeast = (what: string, value: number | null, goal: number): Goal => ({
    what,
    value,
    goal,
    better: 'higher',
  });
  const atMost = (what: string, value: number | null, goal: number): Goal => ({
    what,
    value,
    goal,
    better: 'lower',
  });
  return [
    atLeast('(a) REST page / limit (first or random, the lower)', ratios.rest_page_vs_limit, 0.85),
    atMost('(a) REST page, processor time a request / Go server', ratios.rest_page_cpu_vs_go, 1),
    atMost('(a) REST page at half load, p99 / p50', ratios.rest_page_half_load, 3),
    atLeast('(b) REST page of 100 / limit', ratios.rest_page_100_vs_limit, 0.9),
    atLeast('(c) GraphQL connection / limit', ratios.graphql_vs_limit, 0.65),
    atMost('(c) GraphQL connection, processor time a request / Go server', ratios.graphql_cpu_vs_go, 1),
    atLeast('(c) GraphQL connection / PostGraphile 5', ratios.graphql_vs_postgraphile, 2),
    atLeast('(c) GraphQL connection / stock stack', ratios.graphql_vs_stock, 3.5),
    atMost('(c) GraphQL, refused inside / answered, time', ratios.refused_vs_answered, 2),
    atLeast('(d) nested / PostGraphile 5', ratios.nested_vs_postgraphile, 2),
    atMost('(d) SQL statements of a nested request', nested_statements, 2),
    atMost('page at nine tenths / first page, filtered ones too, time', ratios.deep_page_vs_first, 1.1),
    atMost('(a) REST page with an access token, fewer than with an API key', ratios.token_overhead, 0.1),
    atMost('memory at the end / after 10,000 requests', ratios.memory_growth, 1.1),
    atLeast('(h) REST create / limit', ratios.create_vs_limit, 0.5),
    atLeast('(h) REST create / PostGraphile 5', ratios.create_vs_postgraphile, 1),
    atLeast('(h) REST create / stock stack', ratios.create_vs_stock, 2.5),
    atLeast('(i) deliveries a second / loop over pg-boss', ratios.deliveries_vs_loop, 0.7),
    atLeast('(i) REST create with events / without', ratios.create_with_events, 0.8),
    atMost('(i) commit to first attempt at half load, p99, ms', ratios.first_attempt_p99_ms, 500),
    atLeast('(shop) page of 20 orders / PostGraphile 5', ratios.shop_page_vs_postgraphile, 2.5),
    atMost('(shop) SQL statements of a page of orders', shop_page_statements, 5),
    atLeast('(shop) REST create of an order / limit', ratios.order_vs_limit, 0.5),
    atMost(
      '(filters) page of 100 through a saved filter / without it, the worst',
      ratios.filtered_page_vs_plain,
      1.3,
    ),
    atMost('second start to first answer, embedded, s', start_seconds.embedded, 1.5),
    atMost('second start to first answer, DATABASE_URL, s', start_seconds.database_url, 0.6),
  ];
}

export function toJson(result: Result): string {
  return JSON.stringify(
    result,
    (_key, value: unknown) => (typeof value === 'number' ? round(value) : value),
    2,
  );
}

/** Enough digits for a ratio, none that pretend. */
function round(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(4));
}

const COLUMNS = [
  'workload',
  'subject',
  'req/s',
  'spread',
  'p50 ms',
  'p99 ms',
  'CPU µs/req, Node',
  'CPU µs/req, PostgreSQL',
  'gateway / it',
  '',
];

function cellsOf(row: Row): string[] {
  return [
    row.workload,
    row.subject,
    format(row.requests_per_second, 0),
    row.spread === null ? '' : `${(row.spread * 100).toFixed(0)} %`,
    format(row.p50_ms, 2),
    format(row.p99_ms, 2),
    format(row.cpu_us_per_request, 0),
    formatPostgresCpu(row),
    format(row.gateway_ratio, 2),
    row.note ?? '',
  ];
}

/** A dash where requests were timed, but the system does not tell what PostgreSQL used. */
function formatPostgresCpu(row: Row): string {
  const isUnknown = row.requests_per_second !== null && row.postgres_cpu_us_per_request === null;
  return isUnknown ? '–' : format(row.postgres_cpu_us_per_request, 0);
}

function goalCells({ what, value, goal, better }: Goal): string[] {
  const met =
    value === null ? 'not measured' : (better === 'higher' ? value >= goal : value <= goal) ? 'yes' : 'no';
  return [what, format(value, 2), `${better === 'higher' ? '>=' : '<='} ${goal}`, met];
}

const GOAL_COLUMNS = ['goal', 'measured', 'floor', 'met'];

function format(value: number | null, digits: number): string {
  if (value === null) return '';
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function machineLine({ machine }: Result): string {
  const { cpu, cores, memory_gb, os, node, postgres, contacts, connections, pool_size } = machine;
  return `${cpu}, ${cores} cores, ${memory_gb} GB, ${os}, Node ${node}, PostgreSQL ${postgres}; ${contacts.toLocaleString('en')} contacts, ${connections} connections, pools of ${pool_size}, ${machine.rounds} rounds of ${machine.round_seconds} s; commit ${machine.commit ?? 'unknown'}, ${machine.date}; load before: ${machine.load_before}`;
}

export function toMarkdown(result: Result): string {
  const table = (head: readonly string[], rows: string[][]) =>
    [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const subjects = [...Object.values(SUBJECTS), ...ABOUT].map(({ name, about }) => `- **${name}**: ${about}`);
  return [
    machineLine(result),
    table(GOAL_COLUMNS, goalsOf(result).map(goalCells)),
    table(COLUMNS, result.rows.map(cellsOf)),
    subjects.join('\n'),
    '',
  ].join('\n\n');
}

export function toText(result: Result): string {
  const [first = '', ...rest] = COLUMNS;
  const rows = result.rows.map((row, at) => {
    const [workload = '', ...cells] = cellsOf(row);
    return { workload, cells, isFirst: result.rows[at - 1]?.workload !== row.workload };
  });
  const widths = rest.map((name, at) =>
    Math.max(name.length, ...rows.map(({ cells }) => cells[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) =>
        at === 0 || at === cells.length - 1 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd();
  const body = rows.flatMap(({ workload, cells, isFirst }) => [
    ...(isFirst ? ['', workload] : []),
    `  ${line(cells)}`,
  ]);
  const goals = [GOAL_COLUMNS, ...goalsOf(result).map(goalCells)];
  const goalWidths = GOAL_COLUMNS.map((_, at) => Math.max(...goals.map((cells) => cells[at]?.length ?? 0)));
  const goalLines = goals.map((cells) =>
    cells.map((cell, at) => cell.padEnd(goalWidths[at] ?? 0)).join('  '),
  );
  return [machineLine(result), '', `${first}\n  ${line(rest)}`, ...body, '', ...goalLines, ''].join('\n');
}
