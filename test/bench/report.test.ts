// The report's columns and keys for processor time (test/bench/report.ts, test/bench/cpu-use.ts).
import { expect, test } from 'vitest';
import { plainRow, type Row } from './bench.ts';
import { cpuPerRequest, measureCpuUse } from './cpu-use.ts';
import { type Result, toJson, toMarkdown, toText } from './report.ts';

const timed = (cpu: Partial<Row>) =>
  plainRow({ part: 'a', workload: '(a) pages', subject: 'gateway', requests_per_second: 1_000, ...cpu });

function resultOf(row: Row): Result {
  return {
    machine: {
      ...{
        cpu: 'CPU',
        cores: 2,
        memory_gb: 1,
        os: 'linux',
        node: 'v24',
        postgres: '18',
        commit: null,
        date: '',
      },
      ...{ contacts: 1, connections: 1, pool_size: 1, rounds: 1, round_seconds: 1, load_before: 0 },
    },
    ratios: {
      rest_page_vs_limit: null,
      rest_page_100_vs_limit: null,
      ...{ rest_page_cpu_vs_go: null, rest_page_workers_vs_go: null, rest_page_half_load: null },
      ...{ graphql_cpu_vs_go: null, graphql_vs_limit: null },
      graphql_vs_postgraphile: null,
      graphql_vs_stock: null,
      nested_vs_postgraphile: null,
      deep_page_vs_first: null,
      refused_vs_answered: null,
      token_overhead: null,
      memory_growth: null,
      create_vs_limit: null,
      create_vs_postgraphile: null,
      create_vs_stock: null,
      deliveries_vs_loop: null,
      create_with_events: null,
      first_attempt_p99_ms: null,
    },
    nested_statements: null,
    start_seconds: { embedded: null, database_url: null },
    rows: [row],
  };
}

/** The cells of the one row by their columns. */
function cells(row: Row): Record<string, string> {
  const lines = toMarkdown(resultOf(row)).split('\n');
  const [head = [], , line = []] = lines
    .slice(lines.findIndex((each) => each.startsWith('| workload |')))
    .map((each) => each.split(' | ').map((cell) => cell.replaceAll('|', '').trim()));
  return Object.fromEntries(head.map((name, at) => [name, line[at] ?? '']));
}

test('Node’s and PostgreSQL’s processor time stand in columns of their own', () => {
  const row = timed({ cpu_us_per_request: 151, postgres_cpu_us_per_request: 105 });
  expect(cells(row)).toMatchObject({ 'CPU µs/req, Node': '151', 'CPU µs/req, PostgreSQL': '105' });
  expect(toText(resultOf(row))).toMatch(/gateway +1,000 +151 +105/);
});

test('where the system does not tell PostgreSQL’s, a timed row has a dash, and one that is not timed has nothing', () => {
  const unknown = { cpu_us_per_request: 151, postgres_cpu_us_per_request: null };
  expect(cells(timed(unknown))['CPU µs/req, PostgreSQL']).toBe('–');
  expect(cells(timed({ ...unknown, requests_per_second: null }))['CPU µs/req, PostgreSQL']).toBe('');
});

test('a row of --json has PostgreSQL’s processor time beside the keys of before', () => {
  const row = timed({ cpu_us_per_request: 151, postgres_cpu_us_per_request: 105 });
  const [written] = JSON.parse(toJson(resultOf(row))).rows;
  expect(Object.keys(written).sort()).toEqual(
    [
      ...['part', 'workload', 'subject', 'requests_per_second', 'spread', 'p50_ms', 'p99_ms'],
      ...['cpu_us_per_request', 'postgres_cpu_us_per_request', 'load_cpu', 'gateway_ratio', 'note'],
    ].sort(),
  );
});

test('processor time is what both sides used during the work alone', async () => {
  let [node, postgres] = [7_000, 900];
  const subject = { cpuTimeUs: async () => node };
  const dataset = { cpuTimeUs: async () => postgres };
  const { result, cpu } = await measureCpuUse({ dataset }, subject, async () => {
    node += 300;
    postgres += 200;
    return 'done';
  });
  expect(result).toBe('done');
  expect(cpuPerRequest([cpu, cpu], 4)).toEqual({ cpu_us_per_request: 150, postgres_cpu_us_per_request: 100 });
});

test('PostgreSQL’s processor time is unknown when that of one piece of work is', () => {
  const uses = [
    { nodeUs: 10, postgresUs: 5 },
    { nodeUs: 10, postgresUs: null },
  ];
  expect(cpuPerRequest(uses, 2)).toEqual({ cpu_us_per_request: 10, postgres_cpu_us_per_request: null });
});
