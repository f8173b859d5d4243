// How fast this machine can be asked for these bytes, or for these rows to be written: bare node:http and pg, one named
// prepared statement a request, no authentication, no checks, no logging. Two ways, by the first argument: `json` lets
// PostgreSQL write the JSON text, `rows` takes rows as text and joins them by hand; what is created is written as JSON by
// PostgreSQL in both. Over a pool, unless the environment tells how to pipeline.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { argv, env } from 'node:process';
import pg from 'pg';
import { createContact } from './limit-create.ts';
import { createOrder } from './limit-orders.ts';
import { graphqlPage, type Query, restPage } from './limit-pages.ts';
import { createPipelinedQuery } from './pipelined.ts';

const { DATABASE_URL, POOL_SIZE = '10', PORT, PIPELINED_CONNECTIONS, SESSION_SETTINGS = '' } = env;
const way = argv[2] === 'json' ? 'json' : 'rows';
const query =
  PIPELINED_CONNECTIONS === undefined
    ? createPooledQuery()
    : await createPipelinedQuery({
        connectionString: DATABASE_URL,
        connections: Number(PIPELINED_CONNECTIONS),
        settings: SESSION_SETTINGS,
      });
const rest = restPage(query, way);
const graphql = graphqlPage(query, way);
const create = createContact(query);
const order = createOrder(query);

const REST = /^\/api\/v2\/workspaces\/(\d+)\/contacts\?per_page=(\d+)(?:&after=(\d+))?$/;

function createPooledQuery(): Query {
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL_SIZE) });
  return (config) => pool.query(config);
}

async function answerRest(url: string, response: ServerResponse): Promise<void> {
  const [, workspaceId = '0', size = '20', after = '0'] = REST.exec(url) ?? [];
  const { body, lastId } = await rest(workspaceId, after, Number(size));
  const next = `http://localhost/api/v2/workspaces/${workspaceId}/contacts?per_page=${size}&after=${lastId}`;
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Pagination-Next': lastId,
    Link: `<${next}>; rel="next"`,
  });
  response.end(body);
}

function readBody(request: IncomingMessage, onBody: (text: string) => Promise<void>): void {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => void onBody(text));
}

/** Understands the one document of the bench, whose variables are { workspace, after }. */
async function answerGraphql(text: string, response: ServerResponse): Promise<void> {
  const { variables } = JSON.parse(text) as { variables: { workspace: number; after: string | null } };
  const body = await graphql(variables.workspace, variables.after);
  response.writeHead(200, {
    'Content-Type': 'application/graphql-response+json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}

async function answerCreate(
  { url = '', headers }: IncomingMessage,
  text: string,
  response: ServerResponse,
): Promise<void> {
  const make = url.endsWith('/orders') ? order : create;
  const body = await make(url, String(headers['idempotency-key']), text);
  response.writeHead(201, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}

createServer((request, response) => {
  if (request.method !== 'POST') void answerRest(request.url ?? '', response);
  else if (request.url === '/graphql') readBody(request, (text) => answerGraphql(text, response));
  else readBody(request, (text) => answerCreate(request, text, response));
}).listen(Number(PORT), '127.0.0.1');
