// What the trial of growth asks for, at every size: each operation as a request, the same at each but for where in the list it is.

import type { Manifest } from '../../bench/dataset.ts';
import { FIRST_TIME, TAGS_PER_WORKSPACE, TIME_SPAN_MS } from '../../bench/fill.ts';
import { getRequest, graphqlRequest, writeRequest } from '../../bench/requests.ts';
import { createRandom } from '../../bench/stats.ts';

export interface Operation {
  readonly name: string;
  /** How much longer it may take than at the smallest size, however much larger the list is. */
  readonly most: number;
  /** Runs at each size are a tenth. */
  readonly isSlow?: boolean;
  /** The n-th request. @param made the ids of contacts that this trial has made in the workspace */
  readonly request: (at: Manifest, n: number, made: number[]) => string;
  /** What becomes of the ids when it was answered. */
  readonly onAnswer?: (body: string, made: number[]) => void;
}

// What grew with the rows would be 100 times as much at ten million: the bounds say what a cache that does not hold everything costs.
const FLAT = 1.3;
/** Those of a tag or of a time lie apart, each on a page of its own, which is in shared_buffers where all is small. */
const SCATTERED = 1.75;
const WRITTEN = 1.5;
/** A tag is on a fifteenth: fifteen times as many are counted from a million and a half on, where counting ends. */
const COUNTED = 15;
const RUN = Date.now().toString(36);
const random = createRandom(1);
const anyId = ({ rows }: Manifest) => 1 + Math.floor(random() * (rows - 1_000));
const anyTime = () => new Date(FIRST_TIME.getTime() + random() * TIME_SPAN_MS).toISOString();
const tagOf = ({ workspaceId }: Manifest) => (workspaceId - 1) * TAGS_PER_WORKSPACE + 1;
const listOf = ({ workspaceId }: Manifest) => `/api/v2/workspaces/${workspaceId}/contacts`;

function list(name: string, query: (at: Manifest) => string, most = FLAT): Operation {
  return {
    ...{ name, most },
    request: (at) => getRequest(`${listOf(at)}?per_page=20${query(at)}`, at.token),
  };
}

const CONNECTION = `query ($workspace: BigInt!, $filter: ContactFilter) { workspace(by: { databaseId: $workspace }) {
  contacts(first: 20, filter: $filter) { nodes { id emailAddress updatedAt } pageInfo { hasNextPage } } } }`;
const COUNT = `query ($workspace: BigInt!, $filter: ContactFilter) { workspace(by: { databaseId: $workspace }) {
  contacts(filter: $filter) { totalCount totalCountIsExact } } }`;

function graphql(
  name: string,
  document: string,
  filter: (at: Manifest) => object | null,
  most: number,
): Operation {
  return {
    ...{ name, most, isSlow: document === COUNT },
    request: (at) => graphqlRequest(document, { workspace: at.workspaceId, filter: filter(at) }, at.token),
  };
}

const contactPath = (id: number | undefined) => `/api/v2/contacts/${id}`;

export const OPERATIONS: readonly Operation[] = [
  list('page, the first', () => ''),
  list('page, anywhere', (at) => `&after=${anyId(at)}`),
  list('page, anywhere, descending', (at) => `&after=${anyId(at)}&sort_order=desc`),
  list('page by updated_at, the first', () => '&sort_property=updated_at'),
  list(
    'page by updated_at, anywhere',
    (at) => `&sort_property=updated_at&after=${anyId(at)}&after_updated_at=${anyTime()}`,
    SCATTERED,
  ),
  graphql('GraphQL page', CONNECTION, () => null, FLAT),
  { name: 'one contact', most: FLAT, request: (at) => getRequest(contactPath(anyId(at)), at.token) },
  list('filter by ids', (at) => `&filter[id]=${anyId(at)},${anyId(at)}`),
  list('filter by e-mail address', (at) => `&filter[email_address]=emma.${anyId(at)}@example.com`),
  list('filter by tag', (at) => `&filter[tag_ids]=${tagOf(at)}&after=${anyId(at)}`, SCATTERED),
  list('filter by is_active', (at) => `&filter[is_active]=true&after=${anyId(at)}`),
  list('filter by is_active, the few', (at) => `&filter[is_active]=false&after=${anyId(at)}`),
  list('filter by is_active, by updated_at', () => '&filter[is_active]=true&sort_property=updated_at'),
  list(
    'filter by tag and is_active',
    (at) => `&filter[tag_ids]=${tagOf(at)}&filter[is_active]=true&after=${anyId(at)}`,
    SCATTERED,
  ),
  list('filter by tag, by updated_at', (at) => `&filter[tag_ids]=${tagOf(at)}&sort_property=updated_at`),
  graphql('GraphQL filter by isActive', CONNECTION, () => ({ isActive: true }), FLAT),
  graphql('count of all', COUNT, () => null, WRITTEN),
  graphql('count of a tag', COUNT, (at) => ({ tagIds: [tagOf(at)] }), COUNTED),
  graphql('count of the active', COUNT, () => ({ isActive: true }), WRITTEN),
  {
    name: 'create',
    most: WRITTEN,
    request: (at, n) => {
      const contact = { email_address: `growth-${RUN}-${n}@example.com`, first_name: 'Growth' };
      return writeRequest('POST', listOf(at), at.token, `create-${RUN}-${n}`, { contact });
    },
    onAnswer: (body, made) => void made.push((JSON.parse(body) as { id: number }).id),
  },
  {
    name: 'upsert by e-mail address',
    most: WRITTEN,
    request: (at, n) => {
      const contact = { email_address: `growth-${RUN}-${n}@example.com`, last_name: `${n}` };
      return writeRequest('POST', `${listOf(at)}/upsert`, at.token, `upsert-${RUN}-${n}`, { contact });
    },
  },
  {
    name: 'update',
    most: WRITTEN,
    request: (at, n, made) =>
      writeRequest('PATCH', contactPath(made[n % made.length]), at.token, `update-${RUN}-${n}`, {
        contact: { first_name: `Name ${n}` },
      }),
  },
  {
    name: 'delete',
    most: WRITTEN,
    request: (at, n, made) => writeRequest('DELETE', contactPath(made.pop()), at.token, `delete-${RUN}-${n}`),
  },
];
