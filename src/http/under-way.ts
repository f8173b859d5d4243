// Which requests count as under way (load-shedding.ts), to whose share, and for how long: from when something is done for one until its
// answer was sent, except while its handler waits for a body that the client has yet to send.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNetwork } from '../services/throttle.ts';
import type { LoadShedding } from './load-shedding.ts';

export interface UnderWay {
  /**
   * The key of a request that may be begun, for `count`; null: it is shed.
   * @param isProxy whether its connection is a trusted proxy's
   */
  admit(incoming: IncomingMessage, isProxy: boolean): string | null;
  /** Counts an admitted request. To be called before it is begun. */
  count(key: string, incoming: IncomingMessage, outgoing: ServerResponse): void;
}

/** What a proxy says of a client; an IPv6 address has 45 characters at most. */
const MAX_ADDRESS_CHARS = 64;
const PROBE = '/readyz';
/** So many networks may have a probe under way beside all other requests. */
const MAX_PROBES = 256;

/** Counts in `load`. */
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
  // Somebody reads the body. A handler that does not is under way whether or not it comes.
  incoming.once('resume', () => {
    if (incoming.complete || begunAt === null) return;
    end(false);
    incoming.once('end', begin);
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** The network that a request comes from. Not its caller: nothing is known of who has shown credentials yet. */
export function networkOf({ socket, headers }: IncomingMessage, isProxy: boolean): string {
  const forwarded = isProxy ? headers['x-forwarded-for']?.toString().split(',').at(-1)?.trim() : undefined;
  return toNetwork(forwarded?.slice(0, MAX_ADDRESS_CHARS) ?? socket.remoteAddress ?? '');
}
