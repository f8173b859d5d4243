// Determines which requests count as in progress for load-shedding.ts, for which key, and for how long: from their start until the response
// was sent, except while the handler waits for the client to send the body.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNetwork } from '../services/throttle.ts';
import type { LoadShedding } from './load-shedding.ts';

export interface UnderWay {
  /**
   * The key for `count` if the request may be started; null: it is shed.
   * @param isProxy whether a trusted proxy opened the connection
   */
  admit(incoming: IncomingMessage, isProxy: boolean): string | null;
  /** Counts an admitted request. To be called before it is started. */
  count(key: string, incoming: IncomingMessage, outgoing: ServerResponse): void;
}

/** The longest forwarded address that is read; an IPv6 address has at most 45 characters. */
const MAX_ADDRESS_CHARS = 64;
const PROBE = '/readyz';
/** How many networks may each have one readiness probe in progress, in addition to all other requests. */
const MAX_PROBES = 256;

/** Counts the requests in `load`. */
export function createUnderWay(load: LoadShedding): UnderWay {
  const probes = new Set<string>();

  return {
    admit(incoming, isProxy) {
      const key = networkOf(incoming, isProxy);
      if (incoming.url === PROBE) {
        const probe = `${PROBE} ${key}`;
        if (!probes.has(probe) && probes.size < MAX_PROBES) return probe;
      }
      return load.admits(key) ? key : null;
    },
    count(key, incoming, outgoing) {
      if (key.startsWith(PROBE)) {
        probes.add(key);
        outgoing.once('close', () => probes.delete(key));
        return;
      }
      countIn(load, key, incoming, outgoing);
    },
  };
}

function countIn(load: LoadShedding, key: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  let begunAt: number | null = null;
  const begin = () => {
    if (outgoing.closed) return;
    begunAt = performance.now();
    load.begin(key);
  };
  const end = (isAnswered: boolean) => {
    if (begunAt !== null) load.release(key, isAnswered ? performance.now() - begunAt : null);
    begunAt = null;
  };
  begin();
  outgoing.once('close', () => end(true));
  if (!hasBody(incoming)) return;
  // A handler has begun to read the body. A handler that does not read it counts as in progress all the time.
  incoming.once('resume', () => {
    if (incoming.complete || begunAt === null) return;
    end(false);
    incoming.once('end', begin);
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** The network that a request comes from. The caller cannot be used, since credentials are not checked yet. */
export function networkOf({ socket, headers }: IncomingMessage, isProxy: boolean): string {
  const forwarded = isProxy ? headers['x-forwarded-for']?.toString().split(',').at(-1)?.trim() : undefined;
  return toNetwork(forwarded?.slice(0, MAX_ADDRESS_CHARS) ?? socket.remoteAddress ?? '');
}
