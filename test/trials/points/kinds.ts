// Forty kinds of requests: reads, changes, refusals, large bodies and answers, over both faces and the authorization server. Data only.
import { getIntrospectionQuery } from 'graphql';

/** Ids in the store that the requests name. */
export interface Fixtures {
  readonly key: string;
  readonly host: string;
  /** With a hundred contacts of 60 kB each. */
  readonly heavyWorkspace: number;
  /** The global ids of some of them. */
  readonly heavyIds: readonly string[];
  readonly contact: number;
  readonly tag: number;
}

export interface Sending {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Kind {
  readonly name: string;
  /** Whether the address pays: there are no credentials. */
  readonly isAnonymous?: boolean;
  readonly status: number;
  /** Whether it costs more than its time, because nobody is to try it often. */
  readonly isDearOnPurpose?: boolean;
  send(fixtures: Fixtures, i: number): Sending;
}

const ATTRIBUTES = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`a${i}`, 'x'.repeat(2_000)]));
const JSON_TYPE = { 'Content-Type': 'application/json' };
const LIST = '/api/v2/workspaces/1/contacts';

const many = (count: number, text: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ');

const asOwner = ({ key }: Fixtures, { headers = {}, ...sending }: Sending): Sending => ({
  ...sending,
  headers: { Authorization: `Bearer ${key}`, ...headers },
});

function rest(
  name: string,
  path: string | ((fixtures: Fixtures, i: number) => string),
  status = 200,
  headers: Record<string, string> = {},
): Kind {
  return {
    name,
    status,
    send: (fixtures, i) =>
      asOwner(fixtures, { path: typeof path === 'string' ? path : path(fixtures, i), headers }),
  };
}

function change(
  name: string,
  method: string,
  path: (fixtures: Fixtures, i: number) => string,
  body: (i: number) => object,
  status: number,
): Kind {
  return {
    name,
    status,
    send: (fixtures, i) =>
      asOwner(fixtures, {
        path: path(fixtures, i),
        method,
        headers: JSON_TYPE,
        body: JSON.stringify(body(i)),
      }),
  };
}

interface Operation {
  readonly query: string | ((fixtures: Fixtures, i: number) => string);
  readonly variables?: (fixtures: Fixtures, i: number) => object;
  readonly status?: number;
  readonly headers?: Record<string, string>;
}

function operation(name: string, { query, variables = () => ({}), status = 200, headers }: Operation): Kind {
  return {
    name,
    status,
    send: (fixtures, i) =>
      asOwner(fixtures, {
        path: '/graphql',
        method: 'POST',
        headers: { ...JSON_TYPE, ...headers },
        body: JSON.stringify({
          query: typeof query === 'string' ? query : query(fixtures, i),
          variables: variables(fixtures, i),
        }),
      }),
  };
}

function anonymousOperation(name: string, kind: Operation): Kind {
  const { status, send } = operation(name, kind);
  return {
    name,
    status,
    isAnonymous: true,
    send(fixtures, i) {
      const { headers: { Authorization: _, ...headers } = {}, ...sending } = send(fixtures, i);
      return { ...sending, headers };
    },
  };
}

function anonymous(name: string, sending: (fixtures: Fixtures, i: number) => Sending, status: number): Kind {
  return { name, status, isAnonymous: true, send: sending };
}

const inAcme = (selections: string) => `{ workspace(by: { subdomain: "acme" }) { ${selections} } }`;
const CONTACT = 'id emailAddress firstName lastName phoneNumber createdAt updatedAt';
/** Spaces that make each document another one. */
const unlike = (text: string, i: number) => `${text} #${i}`;

export const KINDS: readonly Kind[] = [
  rest('REST: a page of 20', LIST),
  rest('REST: a page of 100', `${LIST}?per_page=100`),
  rest('REST: a page of 100, gzip', `${LIST}?per_page=100`, 200, { 'Accept-Encoding': 'gzip' }),
  rest('REST: a page of 100, zstd', `${LIST}?per_page=100`, 200, { 'Accept-Encoding': 'zstd' }),
  rest('REST: one contact', ({ contact }) => `/api/v2/contacts/${contact}`),
  rest('REST: one that the client has (304)', ({ contact }) => `/api/v2/contacts/${contact}`, 304, {
    'If-None-Match': 'of the first answer',
  }),
  rest(
    'REST: a page of 6 MB that the client has (304)',
    ({ heavyWorkspace }) => `/api/v2/workspaces/${heavyWorkspace}/contacts?per_page=100`,
    304,
    {
      'If-None-Match': 'of the first answer',
    },
  ),
  rest('REST: by e-mail address', `${LIST}?filter[email_address]=nobody@example.com`),
  rest('REST: none of that id (404)', '/api/v2/contacts/1'),
  rest('REST: a cursor that is none (422)', `${LIST}?after=x`, 422),
  rest('REST: a filter that is none (400)', `${LIST}?filter[x]=1`, 400),
  rest(
    'REST: a page of 6 MB',
    ({ heavyWorkspace }) => `/api/v2/workspaces/${heavyWorkspace}/contacts?per_page=100`,
  ),
  rest(
    'REST: a page of 6 MB, gzip',
    ({ heavyWorkspace }) => `/api/v2/workspaces/${heavyWorkspace}/contacts?per_page=100`,
    200,
    { 'Accept-Encoding': 'gzip' },
  ),
  rest(
    'REST: a page of 6 MB, zstd',
    ({ heavyWorkspace }) => `/api/v2/workspaces/${heavyWorkspace}/contacts?per_page=100`,
    200,
    { 'Accept-Encoding': 'zstd' },
  ),
  change(
    'REST: a contact is created',
    'POST',
    () => LIST,
    (i) => ({ contact: { first_name: `P${i}` } }),
    201,
  ),
  change(
    'REST: a contact of 60 kB is created',
    'POST',
    () => LIST,
    (i) => ({ contact: { first_name: `P${i}`, custom_attributes: ATTRIBUTES } }),
    201,
  ),
  change(
    'REST: a contact is changed',
    'PATCH',
    ({ contact }) => `/api/v2/contacts/${contact}`,
    (i) => ({ contact: { first_name: `P${i}` } }),
    200,
  ),
  change(
    'REST: a body of 250 kB is refused',
    'POST',
    () => LIST,
    () => ({ contact: { first_name: 'x'.repeat(250_000) } }),
    422,
  ),
  change(
    'REST: a body of 15,000 unknown members',
    'POST',
    () => LIST,
    () => ({ contact: Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`a${i}`, 1])) }),
    201,
  ),
  change(
    'REST: a tag is applied that is none',
    'POST',
    ({ contact }) => `/api/v2/contacts/${contact}/applied_tags`,
    () => ({ contacts_applied_tag: { tag_id: 2 ** 40 } }),
    422,
  ),
  operation('GraphQL: a page of 20', { query: inAcme(`contacts(first: 20) { nodes { ${CONTACT} } }`) }),
  operation('GraphQL: a page of 100', { query: inAcme(`contacts(first: 100) { nodes { ${CONTACT} } }`) }),
  operation('GraphQL: a page of 100, zstd', {
    query: inAcme(`contacts(first: 100) { nodes { ${CONTACT} } }`),
    headers: { 'Accept-Encoding': 'zstd' },
  }),
  operation('GraphQL: a page of 100, never compiled', {
    query: (_, i) => unlike(inAcme(`contacts(first: 100) @include(if: true) { nodes { ${CONTACT} } }`), i),
  }),
  operation('GraphQL: lists in a list', {
    query: inAcme(
      'contacts(first: 20) { nodes { id tags { nodes { name } } orders(first: 10) { nodes { id } } } }',
    ),
  }),
  operation('GraphQL: a count', { query: inAcme('contacts(first: 1) { totalCount }') }),
  operation('GraphQL: 50 aliases of pages of 100', {
    query: inAcme(many(50, (j) => `p${j}: contacts(first: 100) { nodes { ${CONTACT} } }`)),
  }),
  operation('GraphQL: 90 aliases of pages of 1', {
    query: inAcme(many(90, (j) => `p${j}: contacts(first: 1, filter: { ids: [${j + 1}] }) { nodes { id } }`)),
  }),
  operation('GraphQL: 90 aliases with refused cursors', {
    query: inAcme(many(90, (j) => `p${j}: contacts(first: 1, after: "${j}") { nodes { id } }`)),
  }),
  operation('GraphQL: 100 look-ups by e-mail', {
    query: inAcme(
      many(
        100,
        (j) => `p${j}: contacts(first: 1, filter: { emailAddresses: "p${j}@example.com" }) { nodes { id } }`,
      ),
    ),
  }),
  operation('GraphQL: 100 nodes that are none', {
    query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
    variables: () => ({ ids: Array.from({ length: 100 }, () => 'x') }),
  }),
  operation('GraphQL: nodes of 1.2 MB', {
    query:
      'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Contact { id customAttributes { name value } } } }',
    variables: ({ heavyIds }) => ({ ids: heavyIds.slice(0, 20) }),
  }),
  operation('GraphQL: nodes of 6 MB', {
    query:
      'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Contact { id customAttributes { name value } } } }',
    variables: ({ heavyIds }) => ({ ids: heavyIds }),
  }),
  operation('GraphQL: 260 kB of variables', {
    query: 'query ($x: [String!]) { viewer { __typename } }',
    variables: () => ({ x: Array.from({ length: 60_000 }, () => 1) }),
  }),
  operation('GraphQL: 50,000 ids that are null', {
    query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
    variables: () => ({ ids: Array.from({ length: 50_000 }, () => null) }),
  }),
  operation('GraphQL: 120,000 numbers for one', {
    query: 'query ($id: ID!) { node(id: $id) { id } }',
    variables: () => ({ id: Array.from({ length: 120_000 }, () => 1) }),
  }),
  operation('GraphQL: a document of 13 kB, each another', {
    query: (_, i) => `{ viewer { ${many(1_000, (j) => `a${i}_${j}: __typename`)} } }`,
  }),
  operation('GraphQL: a document of 90 kB, broken', {
    query: (_, i) => `{ viewer { ${many(1_300, (j) => `a${i}_${j}: kind`)} ${'x'.repeat(60_000)}`,
  }),
  operation('GraphQL: a field that is none', { query: (_, i) => `{ nothing${i} }` }),
  operation('GraphQL: a contact is created', {
    query: (_, i) =>
      unlike(
        'mutation { createContact(input: { workspaceId: "V29ya3NwYWNlOjE=", firstName: "P" }) { contact { id } } }',
        i % 2,
      ),
  }),
  anonymousOperation('without a key: the whole schema', { query: getIntrospectionQuery() }),
  anonymousOperation('without a key: 260 kB of variables', {
    query: 'query ($x: [String!]) { __typename }',
    variables: () => ({ x: Array.from({ length: 60_000 }, () => 1) }),
    status: 401,
  }),
  anonymousOperation('without a key: data', { query: '{ viewer { __typename } }', status: 401 }),
  anonymous('without a key: a page of contacts', () => ({ path: LIST }), 401),
  anonymous('without a key: no such path', (_, i) => ({ path: `/api/v2/nothing${i}` }), 404),
  {
    isDearOnPurpose: true,
    ...anonymous(
      'a key that is none',
      (_, i) => ({ path: LIST, headers: { Authorization: `Bearer fgw_${String(i).padStart(49, '0')}` } }),
      401,
    ),
  },
  anonymous(
    'OAuth: a token for a client that is none',
    ({ host }) => ({
      path: '/oauth/token',
      method: 'POST',
      headers: { Host: host, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials&client_id=x&client_secret=y',
    }),
    401,
  ),
  anonymous('OAuth: the signing keys', ({ host }) => ({ path: '/oauth/jwks', headers: { Host: host } }), 200),
  anonymous(
    'OAuth: the authorization of a client that is none',
    ({ host }) => ({ path: '/oauth/authorize?client_id=x', headers: { Host: host } }),
    400,
  ),
];
