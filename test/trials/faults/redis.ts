// A Redis that keeps nothing on the disk, as Debian has it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Starts it on a port of loopback. */
export async function startRedis(port: number): Promise<ChildProcess> {
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  for await (const chunk of child.stdout) if (String(chunk).includes('Ready to accept connections')) break;
  child.on('exit', () => {});
  await Promise.race([once(child, 'exit'), sleep(100)]);
  return child;
}
