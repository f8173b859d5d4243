// PostGraphile 5 as its documentation sets it up for production: the Amber preset over the gateway's tables, no GraphiQL.
import { createServer } from 'node:http';
import { env } from 'node:process';
import pg from 'pg';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { jsonPgSmartTags } from 'postgraphile/utils';

const { DATABASE_URL, POOL_SIZE = '10', PORT } = env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL_SIZE) });
// Ids are unique, though no constraint says so: told of that, a cursor is compared by the id alone.
const UNIQUE_IDS = jsonPgSmartTags({
  version: 1,
  config: {
    class: {
      'public.contacts': { tags: { unique: 'id' } },
      'public.orders': { tags: { unique: 'id' } },
    },
  },
});
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  plugins: [UNIQUE_IDS],
  // It hides relations without an index that fits exactly, and with it the steps of a funnel.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [makePgService({ pool, schemas: ['public'] })],
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
  grafast: { explain: false },
});
const server = createServer();
const serv = instance.createServ(grafserv);
await serv.addTo(server);
// Made before the port opens, so that the first request does not wait for it.
await instance.getSchema();
server.listen(Number(PORT), '127.0.0.1');
