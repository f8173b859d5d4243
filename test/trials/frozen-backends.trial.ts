// Single connections to PostgreSQL hang, break without a word, or cannot be had: what they have under way is answered 503 in bounded time,
// other requests go on, and nothing is left behind. `npm run trial -- frozen-backends [seconds]`. In turn: server processes are frozen
// (SIGSTOP); connections are half open; somebody else locks the rows of one team, and then the whole table; somebody else takes all
// connections that PostgreSQL has, before and after the gateway has its own.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Serving, serve } from './faults/gateway.ts';
import { outcomeOf } from './faults/ledger.ts';
import { type Caller, startLoad } from './faults/load.ts';
import { type Postgres, startPostgres } from './faults/postgres.ts';
import { trySignal } from './faults/processes.ts';
import { type BreakableNetwork, startProxy } from './faults/proxy.ts';
import { createCallers } from './faults/tenants.ts';
import { reportAnswers, reportLedger, untilServed } from './faults/verdict.ts';
import { say } from './say.ts';
import { quantile, report } from './test-bed.ts';

const HOLD_MS = Number(process.argv[3] ?? 12) * 1_000;
const ONLY = process.argv[4];
const PER_SECOND = 40;
const STATEMENT_TIMEOUT_MS = 4_000;
/** A statement, the silence after it, and the wait for a connection or a slot. */
const MAX_ANSWER_MS = 15_000;
const MAX_RETURN_MS = 5_000;
/** Of the pool, of reads while some are stalled, of the worker, of LISTEN, and a probe. */
const MAX_CONNECTIONS = 10 + 16 + 5 + 2 + 1;

interface Bed {
  readonly postgres: Postgres;
  readonly proxy: BreakableNetwork;
  readonly gateway: Serving;
  readonly callers: readonly Caller[];
}

interface Fault {
  /** The least share of the requests of the fault that are served. */
  readonly served: number;
  /** The caller whose requests are all served within a second. */
  readonly unharmed?: string;
  /** @returns what ends it */
  begin(bed: Bed): Promise<() => Promise<void>>;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  'frozen backends': {
    served: 0.8,
    async begin({ postgres }) {
      const pids = await withClient(postgres.url, async (client) => {
        const { rows } = await client.query<{ pid: number }>(
          "select pid from pg_stat_activity where application_name like 'funnel-gateway/%' order by random() limit 3",
        );
        return rows.map(({ pid }) => pid);
      });
      for (const pid of pids) trySignal(pid, 'SIGSTOP');
      report(`    ${pids.length} server processes are frozen`, pids.length === 3);
      return async () => {
        for (const pid of pids) trySignal(pid, 'SIGCONT');
      };
    },
  },
  'half-open connections': {
    served: 0.5,
    async begin({ proxy }) {
      say(`    ${proxy.halve(1_000)} connections are half open`);
      return async () => {};
    },
  },
  'rows of a team that somebody has locked': {
    served: 0.6,
    unharmed: 'team-1',
    async begin({ postgres, callers: [first] }) {
      return hold(
        postgres.url,
        `select id from contacts where workspace_id = ${first?.workspaceId} for update`,
      );
    },
  },
  'a table that somebody has locked': {
    served: 0,
    async begin({ postgres }) {
      return hold(postgres.url, 'lock table contacts in access exclusive mode');
    },
  },
  'all connections taken from a gateway that has its own': {
    served: 0.9,
    begin: ({ postgres }) => takeAll(postgres.url),
  },
  'all connections taken from a gateway that has none': {
    served: 0,
    async begin({ postgres, proxy }) {
      await proxy.set('refuse');
      await sleep(200);
      const give = await takeAll(postgres.url);
      await proxy.set('pass');
      return give;
    },
  },
};

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Runs a statement in a transaction that stays open. @returns what ends it */
async function hold(url: string, text: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  await client.query(text);
  return () => client.end();
}

/** Takes all connections that there are. @returns what gives them back */
async function takeAll(url: string): Promise<() => Promise<void>> {
  const taken: pg.Client[] = [];
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      taken.push(client);
    } catch {
      break;
    }
  }
  say(`    ${taken.length} connections were left to take`);
  return async () => void (await Promise.all(taken.map((client) => client.end())));
}

async function suffer(bed: Bed, name: string, { served, unharmed, begin }: Fault): Promise<void> {
  const { gateway, callers, postgres } = bed;
  const run = `${name.replaceAll(' ', '-')}-${process.pid}`;
  const load = startLoad({ origin: () => gateway.origin, callers, perSecond: PER_SECOND, run });
  await untilServed(load.entries, performance.now(), 30_000);
  await sleep(1_500);
  const begunAt = performance.now();
  const end = await begin(bed);
  await sleep(HOLD_MS);
  await end();
  const endedAt = performance.now();
  const servedAfter = await untilServed(load.entries, endedAt, 60_000);
  await sleep(MAX_RETURN_MS + 1_000);
  await load.stop();
  const during = load.entries.filter(({ sentAt }) => sentAt >= begunAt && sentAt < endedAt);
  const good = during.filter((entry) => outcomeOf(entry) === 'made');
  const longest = quantile(
    during.map(({ ms }) => ms),
    1,
  );
  const share = good.length / during.length;
  report(
    `${name}: ${(100 * share).toFixed(1)} % of ${during.length} requests were served meanwhile; the longest took ${longest} ms`,
    share >= served && longest <= MAX_ANSWER_MS,
  );
  if (unharmed !== undefined) {
    const own = during.filter(({ caller }) => caller === unharmed);
    const harmed = own.filter((entry) => outcomeOf(entry) !== 'made' || entry.ms > 1_000).length;
    report(`${name}: ${harmed} of ${own.length} requests of another team felt it`, harmed === 0);
  }
  const late = load.entries.filter(
    (entry) => entry.sentAt > endedAt + MAX_RETURN_MS && outcomeOf(entry) !== 'made',
  );
  report(
    `${name}: served again ${Math.round(servedAfter ?? Number.NaN)} ms after its end; ${late.length} requests failed later than ${MAX_RETURN_MS} ms after it`,
    servedAfter !== null && servedAfter <= MAX_RETURN_MS && late.length === 0,
  );
  reportAnswers(name, load.entries);
  await reportLedger(name, postgres.url, run, load.entries);
}

const postgres = await startPostgres({ max_connections: '60' });
const proxy = await startProxy(postgres.url);
const gateway = await serve({
  DATABASE_URL: proxy.url,
  STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS),
});
try {
  const callers = await createCallers(postgres.url, 2);
  for (const [name, fault] of Object.entries(FAULTS)) {
    if (ONLY !== undefined && !name.includes(ONLY)) continue;
    await suffer({ postgres, proxy, gateway, callers }, name, fault);
    const { memory, handles } = await gateway.use();
    const connections = await withClient(postgres.url, async (client) => {
      const { rows } = await client.query<{ count: number }>(
        "select count(*)::int from pg_stat_activity where application_name like 'funnel-gateway%'",
      );
      return rows[0]?.count ?? 0;
    });
    report(
      `${name}: left are ${connections} connections, ${handles} file handles, ${Math.round(memory)} MiB`,
      connections <= MAX_CONNECTIONS && handles < 120,
    );
  }
} finally {
  await gateway.end('SIGTERM');
  await proxy.close();
  await postgres.remove();
}
