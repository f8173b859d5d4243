// What the soak sends: reads and writes of both faces over a fixed set of contacts, refusals of every sort, and clients that hang up.
import type { Dispatcher } from 'undici';
import type { Caller } from './load.ts';

interface SoakRequest {
  readonly options: Dispatcher.RequestOptions;
  /** The statuses that it may be answered with. */
  readonly expected: readonly number[];
  /** Its client hangs up at once. */
  readonly hangsUp?: true;
}

const PAGE =
  'query ($id: ID!, $n: Int!) { node(id: $id) { ... on Workspace { contacts(first: $n) { nodes { databaseId firstName tags(first: 2) { nodes { id } } } pageInfo { endCursor } } } } }';
const UPDATE = 'mutation ($input: UpdateContactInput!) { updateContact(input: $input) { contact { id } } }';

/** The request of a turn. @param contacts ids of contacts that are there */
export function soakRequest(
  turn: number,
  { authorization, workspaceId, workspaceRef }: Caller,
  contacts: readonly string[],
): SoakRequest {
  const contact = contacts[(turn * 7) % contacts.length] ?? '';
  const list = `/api/v2/workspaces/${workspaceId}/contacts`;
  const json = {
    authorization,
    'content-type': 'application/json',
    accept: 'application/graphql-response+json, application/json',
  };
  const get = (path: string, headers: Record<string, string> = { authorization }) =>
    ({ method: 'GET', path, headers }) as const;
  const post = (body: unknown) =>
    ({ method: 'POST', path: '/graphql', headers: json, body: JSON.stringify(body) }) as const;
  const variables = { id: workspaceRef, n: (turn % 20) + 1 };
  switch (turn % 20) {
    case 0:
    case 1: {
      const body = JSON.stringify({ contact: { first_name: `Name ${turn}` } });
      return {
        options: { method: 'PATCH', path: `/api/v2/contacts/${contact}`, headers: json, body },
        expected: [200],
      };
    }
    case 2: {
      const input = { contactId: btoa(`Contact:${contact}`), lastName: `Name ${turn}` };
      return { options: post({ query: UPDATE, variables: { input } }), expected: [200] };
    }
    case 3:
      return { options: get('/api/v2/contacts/999999999'), expected: [404] };
    case 4:
      return { options: get(list, { authorization: `Bearer fgw_${turn}` }), expected: [401] };
    case 5:
      return { options: get(`${list}?per_page=${turn}x`), expected: [422] };
    case 6:
      return { options: post({ query: `{ field${turn} }` }), expected: [400] };
    case 7:
      return { options: get(`${list}?per_page=100`), expected: [200], hangsUp: true };
    case 8:
      // A document of its own each time: nothing that is kept of documents may grow.
      return { options: post({ query: `query Q${turn} { viewer { kind } }` }), expected: [200] };
    case 9:
    case 10:
    case 11:
      return { options: post({ query: PAGE, variables }), expected: [200] };
    case 12:
    case 13:
      return { options: get(`/api/v2/contacts/${contact}`), expected: [200] };
    case 14:
      return {
        options: get(`${list}?filter[email_address]=soak-${turn % 200}@example.com`),
        expected: [200],
      };
    default:
      return {
        options: get(`${list}?per_page=${(turn % 30) + 1}&after=${turn % 100}&sort_order=asc`),
        expected: [200],
      };
  }
}
