// Binds a server to its address and port, or to an inherited socket, with clear errors when that is not possible.
import type { Server } from 'node:http';
import { StartupError } from '../errors.ts';

interface Address {
  readonly host: string;
  readonly port: number;
  /** A listening socket that was inherited, used instead of host and port (config/inherited-socket.ts). */
  readonly socket?: { readonly fd: number | null };
}

/** The listen backlog, as far as the kernel allows it (`net.core.somaxconn`). When it is full, clients retry only after a second. */
const BACKLOG = 4_096;

/** The texts about the listener in error messages. */
interface Naming {
  /** The prefix of HOST and PORT in the names of its environment variables. */
  readonly prefix: '' | 'METRICS_';
  /** What fails while another program uses the port. */
  readonly consequence?: string;
}

/**
 * Starts listening. It resolves in the tick of the `listening` event, before any request can have arrived.
 * @returns the port; for port 0 the system has chosen it. @throws StartupError when the address cannot be bound
 */
export async function bind(http: Server, { host, port, socket }: Address, naming: Naming): Promise<number> {
  const fd = socket?.fd ?? null;
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) =>
      reject(fd === null ? toStartupError(error, { host, port }, naming) : noSocket(error.code)),
    );
    http.listen(fd === null ? { port, host, backlog: BACKLOG } : { fd }, resolve);
  });
  const address = http.address();
  if (address === null || typeof address === 'string') throw noSocket('a Unix socket');
  return address.port;
}

function noSocket(why = 'unknown'): StartupError {
  return new StartupError(`LISTEN_FDS: the passed file descriptor is no TCP socket that listens (${why}).`);
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
