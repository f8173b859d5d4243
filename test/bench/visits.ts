// Recording visits in batches, as page renderers send them: over several pages at once, and all of them to one page, whose lock they then
// wait for. Half of the visits are by contacts. Timed, and checked: each is counted once.
import pg from 'pg';
import { attempt, type Bench, plainRow, type Row } from './bench.ts';
import { Connection } from './connection.ts';
import { cpuPerRequest, measureCpuUse } from './cpu-use.ts';
import { writeRequest } from './requests.ts';
import { createRandom, median } from './stats.ts';
import type { Subject } from './subject.ts';

/** Ids that the dataset does not reach. */
const FIRST_PAGE = 5_000_001;
const PAGES = 8;
const CONNECTIONS = 8;
const BATCH = 500;

export async function measureVisits(bench: Bench): Promise<Row[]> {
  const subject = bench.subjects.get('gateway');
  if (subject === undefined) return [];
  const { dataset } = bench;
  const client = new pg.Client({ connectionString: dataset.url });
  await client.connect();
  const rows: Row[] = [];
  try {
    for (const pages of [PAGES, 1]) {
      const row = await attempt(bench, `gateway, visits to ${pages} pages`, async () => {
        await clear(client);
        await client.query(
          `insert into pages (id, workspace_id, name, current_path)
            select i, $1, 'Visited ' || i, '/visited-' || i from generate_series(${FIRST_PAGE}, ${FIRST_PAGE - 1} + $2::int) i`,
          [dataset.manifest.workspaceId, PAGES],
        );
        return measureOne(bench, client, subject, pages);
      });
      if (row !== null) rows.push(row);
    }
    return rows;
  } finally {
    await clear(client).catch(() => {});
    await client.end();
  }
}

async function measureOne(bench: Bench, client: pg.Client, subject: Subject, pages: number): Promise<Row> {
  const { plan, progress } = bench;
  progress.say(`(visits) Recording ${plan.visitBatches * BATCH} visits to ${pages} pages, ${BATCH} at once`);
  const warmUp = Math.ceil(plan.visitBatches / 5);
  await sendAll(bench, subject, batches(bench, warmUp, pages, 1));
  const queue = batches(bench, plan.visitBatches, pages, 2);
  const bytes = queue[0]?.length ?? 0;
  const { result, cpu } = await measureCpuUse(bench, subject, () => sendAll(bench, subject, queue));
  const { seconds, times } = result;
  const { rows } = await client.query<{ views: number }>(
    `select coalesce(sum(views_all), 0)::int as views from page_hours where page_id >= ${FIRST_PAGE}`,
  );
  const sent = (warmUp + plan.visitBatches) * BATCH;
  if (rows[0]?.views !== sent) throw new Error(`${rows[0]?.views} of ${sent} visits were counted`);
  const perSecond = Math.round((times.length * BATCH) / seconds);
  return plainRow({
    part: 'visits',
    workload: `(visits) REST, recording ${BATCH} visits at once, to ${pages === 1 ? 'one page' : `${pages} pages`}`,
    subject: 'gateway',
    requests_per_second: times.length / seconds,
    p50_ms: median(times),
    p99_ms: times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? null,
    ...cpuPerRequest([cpu], times.length),
    note: `${perSecond.toLocaleString('en')} visits a second, each counted once; ${bytes.toLocaleString('en')} bytes a request`,
  });
}

async function clear(client: pg.Client): Promise<void> {
  for (const table of ['visits', 'page_visitors', 'page_hours'])
    await client.query(`delete from ${table} where page_id >= ${FIRST_PAGE}`);
  await client.query('truncate contact_visits');
  await client.query(`delete from pages where id >= ${FIRST_PAGE}`);
}

function batches({ dataset: { manifest } }: Bench, count: number, pages: number, seed: number): Buffer[] {
  const random = createRandom(seed);
  const pick = (most: number) => Math.floor(random() * most);
  return Array.from({ length: count }, (_, batch) => {
    const visits = Array.from({ length: BATCH }, (_, index) => ({
      uuid: `${seed}0000000-0000-4000-8000-${String(batch * BATCH + index).padStart(12, '0')}`,
      ...(index % 2 === 0
        ? { contact_id: manifest.firstContactId + pick(manifest.rows) }
        : { visitor_id: `visitor-${pick(1_000_000)}` }),
      ...(index % 3 === 0 && { utm_source: 'newsletter', utm_medium: 'email', utm_campaign: 'winter' }),
      ip: `203.0.113.${pick(255)}`,
      user_agent: `Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/${pick(140)}.0`,
      referrer: 'https://www.example.org/gear',
      landing_page: `https://shop.example/visited?from=${pick(1_000)}`,
    }));
    const path = `/api/v2/pages/${FIRST_PAGE + (batch % pages)}/visits`;
    return Buffer.from(writeRequest('POST', path, manifest.token, `${seed}-${batch}-${pages}`, { visits }));
  });
}

async function sendAll({ signal }: Bench, { port }: Subject, requests: readonly Buffer[]) {
  const queue = [...requests];
  const times: number[] = [];
  const connections = Array.from({ length: CONNECTIONS }, () => new Connection(port));
  const startedAt = performance.now();
  async function drain(connection: Connection): Promise<void> {
    for (let request = queue.pop(); request !== undefined; request = queue.pop()) {
      signal.throwIfAborted();
      const sentAt = performance.now();
      const { status, body } = await connection.ask(request);
      times.push(performance.now() - sentAt);
      if (status !== 202) throw new Error(`status ${status}: ${body.slice(0, 200)}`);
    }
  }
  try {
    await Promise.all(connections.map(drain));
  } finally {
    for (const connection of connections) connection.close();
  }
  return { seconds: (performance.now() - startedAt) / 1000, times };
}
