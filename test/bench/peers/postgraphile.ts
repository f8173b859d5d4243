// PostGraphile 5 as its documentation sets it up for production: the Amber preset over the gateway's tables, no GraphiQL.
import { createServer } from 'node:http';
import { env } from 'node:process';
import pg from 'pg';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const { DATABASE_URL, POOL_SIZE = '10', PORT } = env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL_SIZE) });
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
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
