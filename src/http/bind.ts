// Takes the address and port that a server is to listen on, or says what stands in the way.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartupError } from '../errors.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Connections that wait to be accepted, as far as the kernel allows (`net.core.somaxconn`): a client tries a second later otherwise. */
const BACKLOG = 4_096;

/** How the operator names what is listened on. */
interface Naming {
  /** Before HOST and PORT in the names of its variables. */
  readonly prefix: '' | 'METRICS_';
  /** What cannot be had while another program has the port. */
  readonly consequence?: string;
}

/**
 * Listens. Whoever awaits it still is in the tick of the `listening` event: no request can have arrived.
 * @returns the port, which 0 leaves to the system. @throws StartupError when the address cannot be listened on
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
