// Four gateways behind HAProxy, PgBouncer in transaction mode, a primary and two streaming replicas: reads go to replicas, and nobody
// notices when one is lost, lags or is promoted. `npm run trial -- replicas [seconds of each phase] [phases] [--redis]
// [--direct]`; 5 and all by default, `replicas 10 walks,kill` does two. With --redis the positions of writes are kept there, with --direct
// gateways reach PostgreSQL without PgBouncer. It needs Debian's `postgresql`, `pgbouncer` and `haproxy`.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import type { Caller } from './faults/load.ts';
import { createCallers, createContacts, createKeys } from './faults/tenants.ts';
import { tryKill, tryLag } from './replicas/kill.ts';
import { tryListen } from './replicas/listen.ts';
import { tryOwnWrites } from './replicas/own-writes.ts';
import { tryPromotion } from './replicas/promotion.ts';
import { tryReads } from './replicas/reads.ts';
import { tryRolling } from './replicas/rolling.ts';
import { type Scene, untilReplayed, warmUp } from './replicas/scene.ts';
import { startTopology } from './replicas/topology.ts';
import { tryWalks } from './replicas/walks.ts';
import { say } from './say.ts';

const { values, positionals } = parseArgs({
  args: process.argv.slice(3),
  options: {
    direct: { type: 'boolean', default: false },
    redis: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

const CALLERS = 4;
const CONTACTS = 300;
/** The last one leaves a cluster of two. */
const PHASES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  reads: tryReads,
  own: tryOwnWrites,
  walks: tryWalks,
  listen: tryListen,
  rolling: tryRolling,
  kill: tryKill,
  lag: tryLag,
  promotion: tryPromotion,
};

const [seconds = '5', chosen] = positionals;
const asked = chosen === undefined ? Object.keys(PHASES) : chosen.split(',');
const unknown = asked.filter((name) => !Object.hasOwn(PHASES, name));
if (unknown.length > 0)
  throw new Error(`There is no phase ${unknown.join()}, but ${Object.keys(PHASES).join(', ')}.`);
const names = Object.keys(PHASES).filter((name) => asked.includes(name));
for (const program of ['pgbouncer', 'haproxy'])
  if (spawnSync(program, ['-v']).error) throw new Error(`This trial needs the Debian package ${program}.`);
const topology = await startTopology({
  isDirect: values.direct,
  hasRedis: values.redis,
});
// Whoever ends it early leaves no servers behind.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void topology.stop().finally(() => process.exit(1)));
try {
  const callers = await createCallers(topology.primary.server.url, CALLERS);
  for (const caller of callers) await createContacts(topology.primary.server.url, caller, CONTACTS);
  const readers: Caller[] = [];
  for (const caller of callers) {
    const [authorization = ''] = await createKeys(topology.primaryUrl, caller, 1, ['read']);
    readers.push({ ...caller, authorization });
  }
  await untilReplayed(topology);
  await topology.startGateways();
  const scene = { topology, callers, readers, seconds: Number(seconds) };
  await warmUp(scene);
  for (const name of names) {
    say(`--- ${name}`);
    await PHASES[name]?.(scene);
  }
} finally {
  await topology.stop();
}
