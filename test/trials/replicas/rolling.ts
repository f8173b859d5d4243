// All four gateways are started again under load, one after the other, as an upgrade does it: no request fails, be it of clients that
// keep their connections to HAProxy or open one for each.
import { setTimeout as sleep } from 'node:timers/promises';
import { startClients } from '../steady-clients.ts';
import { report } from '../test-bed.ts';
import { endWithoutFailure, type Scene, startLoadOn } from './scene.ts';

export async function tryRolling(scene: Scene): Promise<void> {
  const { topology, callers, seconds } = scene;
  const [caller] = callers;
  if (caller === undefined) throw new Error('no caller');
  const load = startLoadOn(scene, 'rolling');
  const clients = startClients(
    `${topology.origin}/api/v2/workspaces/${caller.workspaceId}/contacts?per_page=5`,
    { Authorization: caller.authorization },
    { keeping: 8, opening: 4, pauseMs: 100 },
  );
  await sleep(500 * seconds);
  const codes: (number | string)[] = [];
  for (const gateway of topology.gateways) {
    codes.push(await gateway.end('SIGTERM'));
    await gateway.restart();
    await topology.haproxy.untilReady(topology.gateways.length);
  }
  await sleep(500 * seconds);
  await clients.stop();
  const { failed, refused } = clients;
  report(
    `clients that ask all the time: ${clients.answered()} answered, ${failed.length} cut, ${refused.length} with an error ${[...new Set(refused)].join(', ')}`,
    failed.length === 0 && refused.length === 0 && clients.answered() > 100,
  );
  await endWithoutFailure(
    scene,
    load,
    `four gateways started again one after the other (exit codes ${codes.join(', ')})`,
  );
  if (codes.some((code) => code !== 0)) report('a gateway did not end well', false);
}
