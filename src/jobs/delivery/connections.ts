// Opens connections for webhooks. It resolves a name once, checks its addresses, and connects to a checked address. No lower layer resolves
// the name again, which prevents DNS rebinding.

import { lookup, Resolver } from 'node:dns/promises';
import { type BlockList, isIP, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildConnector } from 'undici';
import { isAllowedAddress } from '../../network/network-addresses.ts';
import { AttemptFailure, type Reason } from './attempt-errors.ts';

/** The target of a connection. */
interface Target {
  /** An IP address that was checked. */
  readonly address: string;
  readonly port: string;
  readonly protocol: string;
  /** The server name for TLS; null if the URL has an IP address. */
  readonly servername: string | null;
}

/** Opens a connection, including TLS. */
export type Open = (target: Target) => Promise<Socket>;

/** The maximum number of addresses to try for a name. */
const MAX_ADDRESSES = 4;

interface ConnectionOptions {
  /** Addresses that are allowed although they are not public. */
  readonly allowedNetworks: BlockList;
  readonly lookup: AddressLookup;
  readonly open: Open;
  /** The total time for resolving, connecting and TLS. */
  readonly connectMs: number;
}

/** The connector for undici. It fails with AttemptFailure, or with the error of the last address tried. */
export function createConnector(options: ConnectionOptions): buildConnector.connector {
  return (target, callback) => {
    connect(target, options).then(
      (socket) => callback(null, socket),
      (error) => callback(error, null),
    );
  };
}

async function connect(
  { hostname, protocol, port }: buildConnector.Options,
  { allowedNetworks, lookup, open, connectMs }: ConnectionOptions,
): Promise<Socket> {
  const endsAt = performance.now() + connectMs;
  const isAddress = isIP(hostname) !== 0;
  const found = isAddress ? [hostname] : await withTimeout(connectMs, 'nameNotResolved', lookup(hostname));
  const allowed = found.filter((address) => isAllowedAddress(address, allowedNetworks));
  if (allowed.length === 0) throw new AttemptFailure(found.length > 0 ? 'refusedAddress' : 'nameNotFound');
  const addresses = allowed.slice(0, MAX_ADDRESSES);
  const target = {
    port: port || (protocol === 'https:' ? '443' : '80'),
    protocol,
    // TLS server names have no dot at the end (RFC 6066 §3).
    servername: isAddress ? null : hostname.replace(/\.$/, ''),
  };
  let failure: unknown;
  for (const [index, address] of addresses.entries()) {
    // Each address gets an equal share of the remaining time, so that a dead one leaves time for the next.
    const timeMs = (endsAt - performance.now()) / (addresses.length - index);
    try {
      const opening = open({ ...target, address });
      return await withTimeout(timeMs, 'connectTimeout', opening, (socket) => socket.destroy());
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** The result of a promise, unless it takes too long. @param late gets a result that arrives afterwards */
async function withTimeout<T>(
  timeMs: number,
  reason: Reason,
  promise: Promise<T>,
  late: (value: T) => void = () => {},
): Promise<T> {
  const over = new AbortController();
  const timeout = sleep(timeMs, undefined, { signal: over.signal }).then(() => {
    promise.then(late, () => {});
    throw new AttemptFailure(reason);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    over.abort();
  }
}

/** Opens connections directly to the address. @param connectMs the timeout */
export function openDirectly(connectMs: number): Open {
  return openBy(buildConnector({ allowH2: false, timeout: connectMs }));
}

/** Opens connections with undici. @param socket the connection to use TLS over, instead of a new one */
export function openBy(connector: buildConnector.connector, socket?: Socket): Open {
  return ({ address, port, protocol, servername }) =>
    new Promise((resolve, reject) => {
      connector(
        {
          hostname: address,
          protocol,
          port,
          ...(servername !== null && protocol === 'https:' ? { servername } : {}),
          ...(socket === undefined ? {} : { httpSocket: socket }),
        },
        (error, opened) => (error === null ? resolve(opened) : reject(error)),
      );
    });
}

/** Finds the addresses of a name, in the order of trying them. @throws when there are none */
export type AddressLookup = (hostname: string) => Promise<readonly string[]>;

/** How long to wait for IPv6 addresses when there are IPv4 addresses. */
const SECOND_FAMILY_MS = 300;

/** The maximum of concurrent look-ups by the operating system; each occupies one of four threads. */
const MAX_SYSTEM_LOOKUPS = 2;

/**
 * @param asksSystem whether the operating system resolves names that are not in DNS, for example with its hosts file. Such names have internal
 * addresses, so only a gateway that may send to these needs them
 */
export function createLookup({ asksSystem }: { asksSystem: boolean }): AddressLookup {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  let systemLookups = 0;

  async function resolveBySystem(hostname: string): Promise<readonly string[]> {
    systemLookups++;
    try {
      return (await lookup(hostname, { all: true })).map(({ address }) => address);
    } finally {
      systemLookups--;
    }
  }

  return async (hostname) => {
    // These names are never sent to DNS servers (RFC 6761 §6.3).
    if (/(^|\.)localhost\.?$/i.test(hostname)) return ['127.0.0.1', '::1'];
    const four = resolver.resolve4(hostname);
    const six = resolver.resolve6(hostname).catch(() => []);
    try {
      const addresses = await four;
      return [...addresses, ...(await Promise.race([six, sleep(SECOND_FAMILY_MS, [], { ref: false })]))];
    } catch (error) {
      const addresses = await six;
      if (addresses.length > 0) return addresses;
      if (asksSystem && systemLookups < MAX_SYSTEM_LOOKUPS) return resolveBySystem(hostname);
      throw error;
    }
  };
}
