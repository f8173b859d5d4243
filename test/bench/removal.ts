// Split removal under contention: every split of many funnels removed several times over, by many connections at once.
// Timed, and checked: each split goes once, and every funnel ends as some single file of removals would have left it.
import pg from 'pg';
import { attempt, type Bench, plainRow, type Row } from './bench.ts';
import { Connection } from './connection.ts';
import { cpuPerRequest, measureCpuUse } from './cpu-use.ts';
import { insertWorkflows, STEPS_PER_FUNNEL } from './fill.ts';
import { deleteRequest } from './requests.ts';
import { createRandom, median } from './stats.ts';
import type { Subject } from './subject.ts';

/** Ids that the dataset does not reach. */
const FIRST_FUNNEL = 4_000_001;
const TRIES = 3;

/** The funnel's two splits by number of their steps (fill.ts): the inner one is on the outer one's matched branch. */
const OUTER = 3;
const INNER = 5;

/** Which branches go, and the steps that are left whatever the order of the two removals. */
const VARIANTS = [
  { outer: 'unmatched', inner: 'matched', left: [1, 2, 4, 7, 10, 11] },
  { outer: 'unmatched', inner: 'unmatched', left: [1, 2, 4, 6, 10, 11] },
  { outer: 'unmatched', inner: 'both', left: [1, 2, 4, 10, 11] },
  { outer: 'matched', inner: 'unmatched', left: [1, 2, 8, 9, 10, 11] },
  { outer: 'both', inner: 'matched', left: [1, 2, 10, 11] },
] as const;

interface Removal {
  readonly funnel: number;
  readonly step: number;
  readonly request: Buffer;
}

export async function measureRemovals(bench: Bench): Promise<Row[]> {
  const subject = bench.subjects.get('gateway');
  if (subject === undefined) return [];
  const { plan, progress, dataset } = bench;
  progress.say(`(f) Removing the splits of ${plan.contendedFunnels} funnels, ${TRIES} times each, at once`);
  const client = new pg.Client({ connectionString: dataset.url });
  await client.connect();
  try {
    const row = await attempt(bench, 'gateway, split removal', async () => {
      await clear(client);
      await insertFunnels(client, dataset.manifest.workspaceIds.at(-1) ?? 1, plan.contendedFunnels);
      const { result, cpu } = await measureCpuUse(bench, subject, () => removeAll(bench, subject));
      const { seconds, times, removed } = result;
      await requireSound(client, plan.contendedFunnels);
      return plainRow({
        part: 'f',
        workload: '(f) split removal under contention',
        subject: 'gateway',
        requests_per_second: times.length / seconds,
        p50_ms: median(times),
        p99_ms: times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? null,
        ...cpuPerRequest([cpu], times.length),
        note: `${times.length} requests, ${removed} removals; every tree as a single file would leave it`,
      });
    });
    return row === null ? [] : [row];
  } finally {
    await clear(client).catch(() => {});
    await client.end();
  }
}

async function insertFunnels(client: pg.Client, workspaceId: number, count: number): Promise<void> {
  await client.query(
    `insert into funnels (id, workspace_id, name, current_path)
      select i, $1, 'Contended ' || i, '/contended-' || i
      from generate_series(${FIRST_FUNNEL}, ${FIRST_FUNNEL - 1} + $2::int) i`,
    [workspaceId, count],
  );
  for (const statement of insertWorkflows(`f.id >= ${FIRST_FUNNEL}`)) await client.query(statement);
}

async function clear(client: pg.Client): Promise<void> {
  await client.query('begin; set local session_replication_role = replica');
  await client.query(`with gone as (delete from funnel_steps where funnel_id >= ${FIRST_FUNNEL} returning page_id)
    delete from pages where id in (select page_id from gone)`);
  await client.query(`delete from funnels where id >= ${FIRST_FUNNEL}`);
  await client.query('commit');
}

const stepId = (funnel: number, step: number) => (funnel - 1) * STEPS_PER_FUNNEL + step;
const variantOf = (funnel: number) => VARIANTS[funnel % VARIANTS.length] ?? VARIANTS[0];

function shuffled(count: number, token: string): Removal[] {
  const removals: Removal[] = [];
  for (let funnel = FIRST_FUNNEL; funnel < FIRST_FUNNEL + count; funnel++) {
    const { outer, inner } = variantOf(funnel);
    for (const [step, branch] of [
      [OUTER, outer],
      [INNER, inner],
    ] as const) {
      const path = `/api/v2/funnels/${funnel}/conditional_split_steps/${stepId(funnel, step)}?branch=${branch}`;
      const request = Buffer.from(deleteRequest(path, token));
      for (let i = 0; i < TRIES; i++) removals.push({ funnel, step, request });
    }
  }
  // Removals of one funnel stay near each other: they are to meet.
  const random = createRandom(count);
  const place = new Map(removals.map((removal) => [removal, removal.funnel + random() * 3]));
  return removals.sort((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0));
}

/** @throws Error when a split was not removed exactly once, or a refusal was no 404 */
async function removeAll({ plan, dataset, signal }: Bench, subject: Subject) {
  const queue = shuffled(plan.contendedFunnels, dataset.manifest.token);
  const times: number[] = [];
  const removed = new Map<number, number>();
  const connections = Array.from({ length: plan.connections }, () => new Connection(subject.port));
  const startedAt = performance.now();
  async function drain(connection: Connection): Promise<void> {
    for (let job = queue.pop(); job !== undefined; job = queue.pop()) {
      signal.throwIfAborted();
      const sentAt = performance.now();
      const { status, body } = await connection.ask(job.request);
      times.push(performance.now() - sentAt);
      const id = stepId(job.funnel, job.step);
      if (status === 204) removed.set(id, (removed.get(id) ?? 0) + 1);
      else if (status !== 404) throw new Error(`status ${status}: ${body.slice(0, 200)}`);
    }
  }
  try {
    await Promise.all(connections.map(drain));
  } finally {
    for (const connection of connections) connection.close();
  }
  const twice = [...removed.values()].filter((count) => count > 1).length;
  if (twice > 0) throw new Error(`${twice} splits were removed twice`);
  return { seconds: (performance.now() - startedAt) / 1000, times, removed: removed.size };
}

/** @throws Error when a funnel's workflow is not what its two removals leave in either order */
async function requireSound(client: pg.Client, count: number): Promise<void> {
  const { rows } = await client.query<{ funnel: string; steps: string[]; sound: boolean }>(
    `select f.id as funnel,
        array_agg(s.id order by s.position) filter (where s.removed_at is null) as steps,
        bool_and(case when s.removed_at is null
          then s.kind = 'page' and s.parent_id is null and p.discarded_at is null
          else s.kind = 'conditional_split' or p.discarded_at is not null end)
          and max(s.position) filter (where s.removed_at is null) + 1 = count(*) filter (where s.removed_at is null)
          as sound
      from funnels f join funnel_steps s on s.funnel_id = f.id left join pages p on p.id = s.page_id
      where f.id >= ${FIRST_FUNNEL} group by f.id`,
  );
  if (rows.length !== count) throw new Error(`${rows.length} of ${count} funnels are left`);
  for (const { funnel, steps, sound } of rows) {
    const left = variantOf(Number(funnel)).left.map((step) => String(stepId(Number(funnel), step)));
    if (!sound || left.join() !== steps.join())
      throw new Error(`funnel ${funnel} ended with the steps ${steps.join()} instead of ${left.join()}`);
  }
}
