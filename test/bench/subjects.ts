// Who is measured, and how each one is started.
import { fileURLToPath } from 'node:url';
import { READERS } from '../../src/store/connections/connection-counts.ts';
import { PLAN_SETTINGS } from '../../src/store/pipelining/session.ts';
import { GO_SERVER } from './go-server.ts';
import type { SubjectSpec } from './subject.ts';
import { GRAPHQL_ROWS, REST_ROWS } from './subjects/limit-pages.ts';

const path = (url: URL) => fileURLToPath(url);
const MAIN = path(new URL('../../bin/funnel-gateway.js', import.meta.url));
const LIMIT = path(new URL('./subjects/limit.ts', import.meta.url));

/** The gateway's command line. */
export const GATEWAY_SCRIPT = [MAIN, 'serve', '--no-demo'];
export const WORKER_SCRIPT = [MAIN, 'work'];
/** As `npm start` and the command's first line have them. */
export const GATEWAY_NODE_OPTIONS = [
  '--max-semi-space-size=16',
  '--initial-old-space-size=24',
  '--no-allocation-site-pretenuring',
];

/** What seals the gateway's signing keys: the bench itself makes tokens with them. */
export const SECRET_KEY = 'the secret key of the bench: of no use to anybody';

export type SubjectName =
  | 'limit-json'
  | 'limit-rows'
  | 'limit-pipelined'
  | 'go'
  | 'gateway'
  | 'postgraphile'
  | 'stock'
  | 'mercurius';

/** In the order of the tables. */
export const SUBJECTS: Readonly<Record<SubjectName, SubjectSpec & { readonly about: string }>> = {
  'limit-json': {
    name: 'limit-json',
    about:
      'node:http + pg, the page as JSON text from one statement, or all rows of a new contact in one; no authentication',
    script: [LIMIT, 'json'],
  },
  'limit-rows': {
    name: 'limit-rows',
    about: 'node:http + pg, text-mode rows joined by hand, no authentication',
    script: [LIMIT, 'rows'],
  },
  'limit-pipelined': {
    name: 'limit-pipelined',
    about:
      "limit-rows, but over pipelined connections: as many, and with the same plan settings, as the gateway's for reading",
    script: [LIMIT, 'rows'],
    env: { PIPELINED_CONNECTIONS: String(READERS), SESSION_SETTINGS: PLAN_SETTINGS },
  },
  go: {
    name: 'go',
    about:
      "Go's net/http + pgx, the statements and plan settings of limit-pipelined over a pool, text-mode rows joined by hand, no authentication",
    command: GO_SERVER,
    script: [],
    env: { REST_SQL: REST_ROWS, GRAPHQL_SQL: GRAPHQL_ROWS, SESSION_SETTINGS: PLAN_SETTINGS },
  },
  gateway: {
    name: 'gateway',
    about: 'Funnel Gateway as shipped: authentication, scopes, request ids, logging to a file',
    script: GATEWAY_SCRIPT,
    nodeOptions: GATEWAY_NODE_OPTIONS,
    env: { SECRET_KEY },
  },
  postgraphile: {
    name: 'postgraphile',
    about: 'PostGraphile 5, Amber preset, production mode, no authentication',
    script: [path(new URL('./peers/postgraphile.ts', import.meta.url))],
  },
  stock: {
    name: 'stock',
    about: 'Yoga + Pothos + @pothos/plugin-prisma + Prisma as documented, no authentication',
    script: [path(new URL('./peers/stock.ts', import.meta.url))],
  },
  mercurius: {
    name: 'mercurius',
    about: 'Fastify + Mercurius (JIT, loaders) over pg, written by hand, no authentication',
    script: [path(new URL('./peers/mercurius.ts', import.meta.url))],
  },
};
