// Opens the connections that webhooks are sent over. A name is resolved once, its addresses are checked, and the connection goes to an
// address that was checked: nothing below resolves it again.

import { lookup, Resolver } from 'node:dns/promises';
import { type BlockList, isIP, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildConnector } from 'undici';
import { isAllowedAddress } from '../../network/network-addresses.ts';
import { AttemptFailure, type Reason } from './attempt-errors.ts';

/** Where a connection goes to. */
interface Target {
  /** An IP address that was checked. */
  readonly address: string;
  readonly port: string;
  readonly protocol: string;
  /** The name for TLS; null where the URL has an address. */
  readonly servername: string | null;
}

/** Opens a connection, TLS included. */
export type Open = (target: Target) => Promise<Socket>;

/** Addresses of a name that are tried. */
const MAX_ADDRESSES = 4;

interface ConnectionOptions {
  /** Addresses that may be connected to although they are not public. */
  readonly allowedNetworks: BlockList;
  readonly lookup: AddressLookup;
  readonly open: Open;
  /** Time for all of it: resolving, connecting and TLS. */
  readonly connectMs: number;
}

/** The connector for undici. Its errors are AttemptFailure or have the code of the last address that was tried. */
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
  const found = isAddress ? [hostname] : await within(connectMs, 'nameNotResolved', lookup(hostname));
  const allowed = found.filter((address) => isAllowedAddress(address, allowedNetworks));
  if (allowed.length === 0) throw new AttemptFailure(found.length > 0 ? 'refusedAddress' : 'nameNotFound');
  const addresses = allowed.slice(0, MAX_ADDRESSES);
  const target = {
    port: port || (protocol === 'https:' ? '443' : '80'),
    protocol,
    // A dot at the end is no part of the name in TLS (RFC 6066 §3).
    servername: isAddress ? null : hostname.replace(/\.$/, ''),
  };
  let failure: unknown;
  for (const [index, address] of addresses.entries()) {
    // A dead address leaves time for those after it.
    const timeMs = (endsAt - performance.now()) / (addresses.length - index);
    try {
      const opening = open({ ...target, address });
      return await within(timeMs, 'connectTimeout', opening, (socket) => socket.destroy());
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** What a promise comes to, unless it takes too long. @param late gets what came after that */
async function within<T>(
  timeMs: number,
  reason: Reason,
  promise: Promise<T>,
  late: (value: T) => void = () => {},
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      reject(new AttemptFailure(reason));
    }, timeMs);
  });
  promise.then(
    (value) => isLate && late(value),
    () => {},
  );
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Opens connections to the address itself. @param connectMs ends what nobody waits for any more */
export function openDirectly(connectMs: number): Open {
  return openBy(buildConnector({ allowH2: false, timeout: connectMs }));
}

/** Opens connections by undici. @param socket what TLS is spoken over, where that is not a new connection */
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

/** The addresses of a name, in the order in which they are tried; throws where there is none. */
export type AddressLookup = (hostname: string) => Promise<readonly string[]>;

/** How long IPv6 addresses are waited for when there are IPv4 addresses. */
const SECOND_FAMILY_MS = 300;

/** Names that the system may be asked for at a time; a thread of four each. */
const MAX_SYSTEM_LOOKUPS = 2;

/**
 * @param asksSystem names that DNS does not know are asked of the system: of its hosts file, for one. Those lead inside, so that only
 *   a gateway that may send inside asks
 */
export function createLookup({ asksSystem }: { asksSystem: boolean }): AddressLookup {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  let systemLookups = 0;

  async function ofSystem(hostname: string): Promise<readonly string[]> {
    systemLookups++;
    try {
      return (await lookup(hostname, { all: true })).map(({ address }) => address);
    } finally {
      systemLookups--;
    }
  }

  return async (hostname) => {
    // RFC 6761 §6.3: no DNS server is believed about these.
    if (/(^|\.)localhost\.?$/i.test(hostname)) return ['127.0.0.1', '::1'];
    const four = resolver.resolve4(hostname);
    const six = resolver.resolve6(hostname).catch(() => []);
    try {
      const addresses = await four;
      return [...addresses, ...(await Promise.race([six, sleep(SECOND_FAMILY_MS, [], { ref: false })]))];
    } catch (error) {
      const addresses = await six;
      if (addresses.length > 0) return addresses;
      if (asksSystem && systemLookups < MAX_SYSTEM_LOOKUPS) return ofSystem(hostname);
      throw error;
    }
  };
}
