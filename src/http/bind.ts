// Binds a server to its address and port, with clear errors when that is not possible.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartupError } from '../errors.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** The listen backlog, as far as the kernel allows it (`net.core.somaxconn`). When it is full, clients retry only after a second. */
const BACKLOG = 4_096;

/** How error messages name the listener. */
interface Naming {
  /** The prefix of HOST and PORT in the names of its environment variables. */
  readonly prefix: '' | 'METRICS_';
  /** What does not work while another program uses the port. */
  readonly consequence?: string;
}

/**
 * Starts listening. It resolves in the tick of the `listening` event, before any request can have arrived.
 * @returns the port, chosen by the system for port 0. @throws StartupError when the address cannot be bound
 */
export async function bind(http: Server, { host, port }: Address, naming: Naming): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) =>
      reject(toStartupError(error, { host, port }, naming)),
    );
    http.listen({ port, host, backlog: BACKLOG }, resolve);
  });
  return (http.address() as AddressInfo).port;
}

function toStartupError(
  error: NodeJS.ErrnoException,
  { host, port }: Address,
  { prefix, consequence = '' }: Naming,
): unknown {
  switch (error.code) {
    case 'EADDRINUSE':
      return new StartupError(
        `Port ${port} on ${host} is in use${consequence}. Stop what uses it, or choose another with ${prefix}PORT=...`,
      );
    case 'EACCES':
      return new StartupError(
        `Port ${port} may not be used by this user. Choose one above 1023 with ${prefix}PORT=...`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartupError(
        `${prefix}HOST ${host} is not an address of this machine. Set ${prefix}HOST=127.0.0.1 or another one.`,
      );
    default:
      return error;
  }
}
