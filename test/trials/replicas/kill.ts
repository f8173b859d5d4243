// A replica is killed under load, and one that falls behind is left out: no client notices either. Each is used again once it can be.
import { setTimeout as sleep } from 'node:timers/promises';
import { report } from '../test-bed.ts';
import { readsOf } from './counts.ts';
import { endWithoutFailure, type Scene, startLoadOn, untilRead } from './scene.ts';
import { MAX_LAG_MS } from './topology.ts';

export async function tryKill(scene: Scene): Promise<void> {
  const { topology, seconds } = scene;
  const [victim] = topology.replicas;
  const load = startLoadOn(scene, 'kill');
  await sleep(2_000);
  report('a replica that is about to be killed is read from', (await untilRead(victim)) !== null);
  await victim.server.kill();
  await sleep(1_000 * seconds);
  await victim.server.start();
  const ms = await untilRead(victim);
  report(
    `${victim.server.name} is back, and read from ${ms === null ? 'no more' : `after ${Math.round(ms)} ms`}`,
    ms !== null,
  );
  await sleep(1_000);
  await endWithoutFailure(scene, load, 'a replica was killed and came back');
}

export async function tryLag(scene: Scene): Promise<void> {
  const { topology, seconds } = scene;
  const [, victim] = topology.replicas;
  const load = startLoadOn(scene, 'lag');
  await sleep(1_000);
  report('a replica that is about to fall behind is read from', (await untilRead(victim)) !== null);
  await victim.pool.query('select pg_wal_replay_pause()');
  await sleep(2 * MAX_LAG_MS);
  const before = await readsOf(victim);
  await sleep(1_000 * seconds);
  const reads = (await readsOf(victim)) - before;
  report(`behind by more than ${MAX_LAG_MS} ms: it is read from ${reads} times in ${seconds} s`, reads === 0);
  await victim.pool.query('select pg_wal_replay_resume()');
  const ms = await untilRead(victim);
  report(
    `it has caught up, and is read from ${ms === null ? 'no more' : `after ${Math.round(ms)} ms`}`,
    ms !== null,
  );
  await endWithoutFailure(scene, load, 'a replica fell behind and caught up');
}
