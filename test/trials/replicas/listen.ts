// Keys are remembered by every gateway although it reaches PostgreSQL through PgBouncer, since it listens at the direct address: a key is
// looked up no more, and refused at once when it is revoked.
import { setTimeout as sleep } from 'node:timers/promises';
import { hashOf } from '../../../src/auth/tokens.ts';
import type { Caller } from '../faults/load.ts';
import { createKeys } from '../faults/tenants.ts';
import { report } from '../test-bed.ts';
import { ask } from './ask.ts';
import { callsOf } from './counts.ts';
import type { Scene } from './scene.ts';

const REQUESTS = 200;
/** Less than what LOOKUP_CACHE_MS, 2,000, would take if it went unheard. */
const MAX_MS = 1_000;

export async function tryListen({ topology, callers }: Scene): Promise<void> {
  const [caller] = callers as [Caller];
  const [key = ''] = await createKeys(topology.primaryUrl, caller, 1);
  const asked = { authorization: key };
  const me = (origin: string) => ask(`${origin}/api/v2/me`, asked);
  const origins = topology.gateways.map(({ origin }) => origin);
  for (let turn = 0; turn < 8 * origins.length; turn++) await me(origins[turn % origins.length] ?? '');
  const before = await callsOf(topology.primary, 'from api_keys');
  for (let turn = 0; turn < REQUESTS; turn++) {
    const { status } = await me(origins[turn % origins.length] ?? '');
    if (status !== 200) throw new Error(`The key was answered ${status}`);
  }
  const lookups = (await callsOf(topology.primary, 'from api_keys')) - before;
  report(`${REQUESTS} requests with one key: it was looked up ${lookups} times`, lookups < REQUESTS / 10);
  await topology.primary.pool.query('update api_keys set revoked_at = now() where token_hash = $1', [
    hashOf(key.replace('Bearer ', '')),
  ]);
  const revokedAt = performance.now();
  const refused = await Promise.all(
    origins.map(async (origin) => {
      let last = 0;
      while (performance.now() - revokedAt < 2 * MAX_MS) {
        if ((await me(origin)).status !== 401) last = performance.now() - revokedAt;
        await sleep(5);
      }
      return last;
    }),
  );
  const slowest = Math.max(...refused);
  report(`a revoked key is refused by all gateways after ${Math.round(slowest)} ms`, slowest < MAX_MS);
}
