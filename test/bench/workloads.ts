// The timed workloads: who takes part, what is asked, and what an answer has to say.
import { Connection } from './connection.ts';
import { canonicalBytes, canonicalConnection, canonicalNested, canonicalOrders } from './content.ts';
import { learnCursors } from './cursors.ts';
import type { Manifest } from './dataset.ts';
import { DOCUMENTS } from './documents.ts';
import { getRequest, graphqlRequest } from './requests.ts';
import { createRandom } from './stats.ts';
import type { Subject } from './subject.ts';
import type { SubjectName } from './subjects.ts';

export type WorkloadKey =
  | 'rest_first'
  | 'rest_random'
  | 'rest_100'
  | 'rest_100_compressed'
  | 'graphql'
  | 'nested'
  | 'shop_graphql'
  | 'shop_rest';

export interface Workload {
  readonly key: WorkloadKey;
  /** The letter or name that `--only` knows it by. */
  readonly part: string;
  readonly title: string;
  readonly subjects: readonly SubjectName[];
  /** Whole requests to choose from; those with the same index ask every subject for the same rows. */
  requests(subject: Subject, name: SubjectName, manifest: Manifest): Promise<string[]> | string[];
  /** @throws Error when it is no answer at all */
  canonical(body: string): string;
}

const REST: readonly SubjectName[] = ['limit-json', 'limit-rows', 'limit-pipelined', 'gateway'];
/** The page that all of a machine's cores are measured by. */
const ON_ALL_CORES: readonly SubjectName[] = [...REST, 'go'];
const GRAPHQL: readonly SubjectName[] = ['postgraphile', 'stock', 'mercurius'];
/** As browsers send it; all other requests ask for no coding. */
const ACCEPT_ENCODING = 'Accept-Encoding: gzip, deflate, br, zstd';
const POSITIONS = 1_000;
const SEED = 20_261_120;

export const WORKLOADS: readonly Workload[] = [
  {
    key: 'rest_first',
    part: 'a',
    title: '(a) REST, first page of 20 contacts',
    subjects: ON_ALL_CORES,
    requests: (_subject, _name, manifest) => [getRequest(pagePath(manifest, 20, 0), manifest.token)],
    canonical: canonicalBytes,
  },
  {
    key: 'rest_random',
    part: 'a',
    title: '(a) REST, page of 20 contacts at a random position',
    subjects: ON_ALL_CORES,
    requests: (_subject, _name, manifest) => restAtRandom(manifest, 20),
    canonical: canonicalBytes,
  },
  {
    key: 'rest_100',
    part: 'b',
    title: '(b) REST, page of 100 contacts at a random position',
    subjects: REST,
    requests: (_subject, _name, manifest) => restAtRandom(manifest, 100),
    canonical: canonicalBytes,
  },
  {
    key: 'rest_100_compressed',
    part: 'b',
    title: '(b) REST, page of 100 contacts at a random position, compressed',
    subjects: ['gateway'],
    requests: (_subject, _name, manifest) => restAtRandom(manifest, 100, [ACCEPT_ENCODING]),
    canonical: canonicalBytes,
  },
  {
    key: 'graphql',
    part: 'c',
    title: '(c) GraphQL, connection of 20 contacts at a random position',
    subjects: [...REST, 'go', ...GRAPHQL],
    requests: connectionsAtRandom,
    canonical: canonicalConnection,
  },
  {
    key: 'nested',
    part: 'd',
    title: '(d) GraphQL, 10 workspaces x 10 funnels x their steps',
    subjects: ['gateway', ...GRAPHQL],
    requests: nestedAtRandom,
    canonical: canonicalNested,
  },
  {
    key: 'shop_graphql',
    part: 'shop',
    title: '(shop) GraphQL, 20 orders with contact, line items, variants and prices',
    subjects: ['gateway', 'postgraphile', 'stock'],
    requests: ordersAtRandom,
    canonical: canonicalOrders,
  },
  {
    key: 'shop_rest',
    part: 'shop',
    title: '(shop) REST, the same 20 orders with all that REST shows',
    subjects: ['gateway'],
    requests: (_subject, _name, manifest) =>
      randomOrders(manifest).map((id) =>
        getRequest(
          `/api/v2/workspaces/${manifest.workspaceId}/orders?per_page=20&after=${id}`,
          manifest.token,
        ),
      ),
    canonical: canonicalBytes,
  },
];

/** The path of the page that follows a contact; 0 is the start. */
export function pagePath({ workspaceId }: Manifest, size: number, after: number): string {
  return `/api/v2/workspaces/${workspaceId}/contacts?per_page=${size}${after === 0 ? '' : `&after=${after}`}`;
}

/** Ids of contacts that a full page follows, the same ones in every run. */
function randomContacts({ rows, firstContactId }: Manifest, size: number): number[] {
  const random = createRandom(SEED);
  return Array.from({ length: POSITIONS }, () => firstContactId + Math.floor(random() * (rows - size - 1)));
}

/** Ids of orders that a full page follows. */
function randomOrders({ orders }: Manifest): number[] {
  const random = createRandom(SEED);
  return Array.from({ length: POSITIONS }, () => 1 + Math.floor(random() * (orders - 21)));
}

export function restAtRandom(manifest: Manifest, size: number, headers: readonly string[] = []): string[] {
  return randomContacts(manifest, size).map((id) =>
    getRequest(pagePath(manifest, size, id), manifest.token, headers),
  );
}

export async function connectionsAtRandom(
  subject: Subject,
  name: SubjectName,
  manifest: Manifest,
): Promise<string[]> {
  const cursorOf = await contactCursors(subject, name, manifest);
  return randomContacts(manifest, 20).map((id) => connectionRequest(name, manifest, cursorOf(id)));
}

export function connectionRequest(name: SubjectName, manifest: Manifest, after: string | null): string {
  return graphqlRequest(
    DOCUMENTS[name].connection,
    { workspace: manifest.workspaceId, after },
    manifest.token,
  );
}

/** Asks for one page, and makes cursors like those that come. */
export async function contactCursors(subject: Subject, name: SubjectName, manifest: Manifest) {
  const answer = await askOnce<{ workspace: { contacts: Edges } }>(
    subject,
    connectionRequest(name, manifest, null),
  );
  return learnFrom(answer.workspace.contacts);
}

export function ordersRequest(
  name: SubjectName,
  { workspaceId, token }: Manifest,
  after: string | null,
  first = 20,
): string {
  const document = DOCUMENTS[name].orders.replace('first: 20', `first: ${first}`);
  return graphqlRequest(document, { workspace: workspaceId, after }, token);
}

async function ordersAtRandom(subject: Subject, name: SubjectName, manifest: Manifest): Promise<string[]> {
  const answer = await askOnce<{ workspace: { orders: Edges } }>(
    subject,
    ordersRequest(name, manifest, null),
  );
  const cursorOf = learnFrom(answer.workspace.orders);
  return randomOrders(manifest).map((id) => ordersRequest(name, manifest, cursorOf(id)));
}

async function nestedAtRandom(subject: Subject, name: SubjectName, manifest: Manifest): Promise<string[]> {
  const request = (after: string | null) =>
    graphqlRequest(DOCUMENTS[name].nested, { team: manifest.teamId, after }, manifest.token);
  const answer = await askOnce<{ team: { workspaces: Edges } }>(subject, request(null));
  const cursorOf = learnFrom(answer.team.workspaces);
  const starts = manifest.workspaceIds.slice(0, -10).map((id) => request(cursorOf(id)));
  return [request(null), ...starts];
}

interface Edges {
  readonly edges: { readonly cursor: string; readonly node: { readonly databaseId: unknown } }[];
}

function learnFrom({ edges }: Edges): (databaseId: number) => string {
  return learnCursors(edges.map(({ cursor, node }) => ({ cursor, databaseId: Number(node.databaseId) })));
}

async function askOnce<Data>(subject: Subject, request: string): Promise<Data> {
  const { status, body } = await ask(subject, request);
  if (status !== 200) throw new Error(`status ${status}: ${body.slice(0, 300)}`);
  const { data, errors } = JSON.parse(body) as { data: Data; errors?: { message: string }[] };
  if (errors !== undefined) throw new Error(`errors: ${errors[0]?.message}`);
  return data;
}

/** One request over a connection of its own. */
export async function ask(subject: Subject, request: string): Promise<{ status: number; body: string }> {
  const connection = new Connection(subject.port);
  try {
    return await connection.ask(Buffer.from(request));
  } finally {
    connection.close();
  }
}
