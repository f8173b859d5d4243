// The listening socket that a service manager holds and passes to this process (sd_listen_fds(3)). Several processes can share it, and a
// restart refuses no connection. Pure.

/** The first file descriptor that is passed. */
const FIRST_FD = 3;

/** The variables that announce passed sockets. They are removed for child processes, because the sockets are not theirs. */
export const SOCKET_VARIABLES = ['LISTEN_FDS', 'LISTEN_PID', 'LISTEN_FDNAMES'] as const;

export interface InheritedSocket {
  /** Its file descriptor; null: the gateway opens HOST and PORT itself. */
  readonly fd: number | null;
  /** Why a passed socket is not used; null: it is, or there is none. */
  readonly unused: string | null;
}

/** Finds the passed socket. @param pid the id of this process @returns an Error for more than one socket */
export function inheritedSocket(
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
): InheritedSocket | Error {
  const { LISTEN_FDS: count = '0', LISTEN_PID: owner = 'not set' } = env;
  if (count === '0') return { fd: null, unused: null };
  if (owner !== String(pid))
    return {
      fd: null,
      unused: `the passed socket is not used: LISTEN_PID is ${owner}, this process is ${pid}. Start node itself, not npm or a shell`,
    };
  return count === '1'
    ? { fd: FIRST_FD, unused: null }
    : new Error(`LISTEN_FDS is ${count}: pass one socket, that of the gateway`);
}
