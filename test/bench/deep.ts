// Flat cost: the page nine tenths down the list against the first one, plain, filtered and in the order of changes, asked in turns
// over one connection, so that nothing but the position differs.
import { attempt, type Bench, plainRow, type Row } from './bench.ts';
import type { Manifest } from './dataset.ts';
import { FIRST_TIME, TAGS_PER_WORKSPACE, TIME_SPAN_MS } from './fill.ts';
import { timeInTurns } from './in-turns.ts';
import { getRequest, graphqlRequest } from './requests.ts';
import type { Subject } from './subject.ts';
import { connectionRequest, contactCursors, pagePath } from './workloads.ts';

const DEPTH = 0.9;

interface Pair {
  /** The face, and which list. */
  readonly list: string;
  readonly first: string;
  readonly deep: string;
}

export interface DeepResult {
  /** Time of the deep page / time of the first, of the face where it is worse. */
  readonly ratio: number | null;
  readonly rows: Row[];
}

export async function measureDeepPage(bench: Bench): Promise<DeepResult> {
  const subject = bench.subjects.get('gateway');
  if (subject === undefined) return { ratio: null, rows: [] };
  const id = Math.floor(bench.dataset.manifest.rows * DEPTH);
  bench.progress.say(`Page at row ${id.toLocaleString('en')} against the first page`);
  const rows: Row[] = [];
  const ratios: number[] = [];
  const pairs = [...restPairs(bench.dataset.manifest, id), graphqlPair, filteredGraphqlPair];
  for (const pairOf of pairs) {
    const times = await attempt(bench, 'gateway, deep page', async () => {
      const { list, first, deep } = await pairOf(bench, subject, id);
      return { list, ...(await timeInTurns(subject, { one: first, other: deep }, bench.plan.deepPairs)) };
    });
    if (times === null) continue;
    ratios.push(times.ratio);
    rows.push(
      plainRow({
        part: 'a',
        workload: `(a) ${times.list}, page at row ${id.toLocaleString('en')} / first page, one connection`,
        subject: 'gateway',
        p50_ms: times.other,
        note: `${times.ratio.toFixed(3)} of the first page's ${times.one.toFixed(3)} ms`,
      }),
    );
  }
  return { ratio: ratios.length > 0 ? Math.max(...ratios) : null, rows };
}

/** The list as it is, of one tag, of those that may be written to, and in the order of changes. */
function restPairs(manifest: Manifest, id: number): (() => Promise<Pair>)[] {
  const tag = (manifest.workspaceId - 1) * TAGS_PER_WORKSPACE + 1;
  const time = new Date(FIRST_TIME.getTime() + DEPTH * TIME_SPAN_MS).toISOString();
  const request = (after: number, more: string) =>
    getRequest(pagePath(manifest, 20, after) + more, manifest.token);
  const pair = (list: string, more: string, position = ''): Pair => ({
    list,
    first: request(0, more),
    deep: request(id, more + position),
  });
  return [
    pair('REST', ''),
    pair('REST, filtered by a tag', `&filter[tag_ids]=${tag}`),
    pair('REST, filtered by is_active', '&filter[is_active]=true'),
    pair('REST, by updated_at', '&sort_property=updated_at', `&after_updated_at=${time}`),
  ].map((made) => async () => made);
}

async function graphqlPair({ dataset: { manifest } }: Bench, subject: Subject, id: number): Promise<Pair> {
  const cursorOf = await contactCursors(subject, 'gateway', manifest);
  const request = (after: string | null) => connectionRequest('gateway', manifest, after);
  return { list: 'GraphQL', first: request(null), deep: request(cursorOf(id)) };
}

const FILTERED = `query ($workspace: BigInt!, $after: String) { workspace(by: { databaseId: $workspace }) {
  contacts(first: 20, after: $after, filter: { isActive: true }) { nodes { id emailAddress updatedAt } pageInfo { hasNextPage } } } }`;

async function filteredGraphqlPair(
  { dataset: { manifest } }: Bench,
  subject: Subject,
  id: number,
): Promise<Pair> {
  const cursorOf = await contactCursors(subject, 'gateway', manifest);
  const request = (after: string | null) =>
    graphqlRequest(FILTERED, { workspace: manifest.workspaceId, after }, manifest.token);
  return { list: 'GraphQL, filtered by isActive', first: request(null), deep: request(cursorOf(id)) };
}
