// A small server with the gateway's faces towards the explorer: the page, its files, and a schema of the same shape.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { buildSchema, graphql } from 'graphql';
import { createGraphiql } from '../../src/graphiql/page.ts';

const connection = (type: string) => `
  type ${type}Edge { cursor: String! node: ${type}! }
  type ${type}Connection { edges: [${type}Edge!]! nodes: [${type}!]! pageInfo: PageInfo! totalCount: Int! }`;
const page = '(first: Int, after: String, last: Int, before: String, sortOrder: SortOrder = ASC)';

const schema = buildSchema(`
  interface Node { id: ID! }
  enum SortOrder { ASC DESC }
  type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
  ${['Team', 'Workspace', 'Contact', 'Funnel'].map(connection).join('\n')}
  "Who is calling."
  type Viewer { kind: String! scopes: [String!]! }
  type Team implements Node { id: ID! name: String! workspaces${page}: WorkspaceConnection! }
  "Holds contacts and funnels."
  type Workspace implements Node {
    id: ID! databaseId: Int! publicId: String! name: String! subdomain: String!
    "Everyone who left an address."
    contacts${page}: ContactConnection!
    funnels${page}: FunnelConnection!
  }
  type Tag { name: String! color: String }
  type Contact implements Node {
    id: ID! databaseId: Int! emailAddress: String! firstName: String lastName: String createdAt: String! tags: [Tag!]!
  }
  type Funnel implements Node { id: ID! databaseId: Int! name: String! currentPath: String! }
  type Query {
    node(id: ID!): Node
    viewer: Viewer!
    teams${page}: TeamConnection!
    "One workspace, by one of its names."
    workspace(id: ID, databaseId: Int, subdomain: String): Workspace
  }
`);

const pageInfo = { hasNextPage: true, hasPreviousPage: false, startCursor: 'YTE', endCursor: 'YTM' };
const contacts = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing', 'Barbara Liskov'].map((name, index) => ({
  id: `Q29udGFjdDo${index}`,
  databaseId: index + 1,
  emailAddress: `${name.toLowerCase().replace(' ', '.')}@example.com`,
  firstName: name.split(' ')[0],
  lastName: name.split(' ')[1],
  createdAt: '2026-01-05T09:30:00.000Z',
  tags: [{ name: 'Newsletter', color: '#0a7' }],
}));
const rootValue = {
  viewer: { kind: 'API_KEY', scopes: ['contacts:read', 'funnels:read'] },
  workspace: {
    databaseId: 1,
    name: 'Acme',
    subdomain: 'acme',
    contacts: { totalCount: 1240, nodes: contacts, pageInfo },
    funnels: { totalCount: 12, nodes: [], pageInfo },
  },
};

interface GraphQLRequest {
  query: string;
  variables?: { [name: string]: unknown } | null;
  operationName?: string | null;
}

export interface StandInServer {
  url: string;
  apiKey: string;
  close(): Promise<void>;
}

export async function startStandInServer(): Promise<StandInServer> {
  const graphiql = createGraphiql();
  const apiKey = 'fgw_stand_in';

  async function respond(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname !== '/graphql')
      return (await graphiql.asset(request)) ?? new Response(null, { status: 404 });
    if (request.method === 'GET') return graphiql.page();
    const { query, variables, operationName } = (await request.json()) as GraphQLRequest;
    const authorization = request.headers.get('authorization');
    const isAccepted =
      authorization === `Bearer ${apiKey}` || (!authorization && operationName === 'IntrospectionQuery');
    if (!isAccepted) {
      const error = { message: 'A valid API key is needed.', extensions: { code: 'UNAUTHENTICATED' } };
      return Response.json({ errors: [error] }, { status: 401, headers: { 'www-authenticate': 'Bearer' } });
    }
    return Response.json(
      await graphql({ schema, source: query, rootValue, variableValues: variables ?? {}, operationName }),
    );
  }

  const server = createServer(async (incoming, outgoing) => {
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    const method = incoming.method ?? 'GET';
    const body = method === 'POST' ? { body: await text(incoming) } : {};
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method,
      headers,
      ...body,
    });
    const response = await respond(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    apiKey,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
