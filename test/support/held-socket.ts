// A listening socket that the test holds like a service manager, and gateways on it.
import { type ChildProcess, spawn } from 'node:child_process';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../bin/funnel-gateway.js', import.meta.url));

export interface HeldSocket {
  readonly fd: number;
  close(): void;
}

interface Tcp extends HeldSocket {
  bind(host: string, port: number): number;
}

/** A bound socket that accepts nothing. node:net cannot do this: its sockets accept connections here. */
export function holdSocket(port: number): HeldSocket {
  const { binding } = process as unknown as {
    binding(name: 'tcp_wrap'): { TCP: new (type: number) => Tcp; constants: { SERVER: number } };
  };
  const { TCP, constants } = binding('tcp_wrap');
  const socket = new TCP(constants.SERVER);
  const failed = socket.bind('127.0.0.1', port);
  if (failed !== 0) throw new Error(`Port ${port} cannot be bound (${failed}).`);
  return socket;
}

/**
 * Starts `serve` as systemd does: the socket is file descriptor 3.
 * @param owner the shell's LISTEN_PID, `$$` is the gateway itself
 */
export function serveOnSocket(
  { fd }: HeldSocket,
  args: readonly string[],
  { env, cwd, owner = '$$' }: { env: Record<string, string>; cwd: string; owner?: string },
): ChildProcess {
  const script = `LISTEN_FDS=1 LISTEN_PID=${owner} exec "$0" "$@"`;
  const { PATH = '' } = process.env;
  return spawn('/bin/sh', ['-c', script, execPath, MAIN, 'serve', ...args], {
    cwd,
    env: { PATH, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe', fd],
  });
}
