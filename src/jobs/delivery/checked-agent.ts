// Opens HTTP connections to servers in clients' URLs: only to allowed addresses (connections.ts), directly or through the proxy.
import type { BlockList } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import { type AddressLookup, createConnector, createLookup, openDirectly } from './connections.ts';
import { createEgressProxy } from './egress-proxy.ts';

export interface CheckedAgentOptions {
  /** Addresses that are allowed although they are not public. */
  readonly allowedNetworks: BlockList;
  /** The URL of an HTTP proxy for all connections. */
  readonly proxy?: string | undefined;
  readonly lookup?: AddressLookup | undefined;
  /** The time for resolving the name, connecting and TLS. */
  readonly connectMs: number;
}

export interface CheckedAgent {
  /** Sends requests. Callers set their own timeouts. */
  readonly dispatcher: Dispatcher;
  /** The number of open connections. */
  readonly connections: number;
  /** Aborts all requests and closes all connections. */
  close(): Promise<void>;
}

/** The longest reuse of a connection. A new connection resolves the name again. */
const CONNECTION_LIFE_MS = 30_000;

/** The longest time for an idle connection, unless the receiver sets one. */
const IDLE_MS = 4_000;

export function createCheckedAgent({
  allowedNetworks,
  proxy,
  lookup = createLookup({ asksSystem: allowedNetworks.rules.length > 0 }),
  connectMs,
}: CheckedAgentOptions): CheckedAgent {
  const egress = proxy === undefined ? null : createEgressProxy(proxy, connectMs);
  const open = egress?.open ?? openDirectly(connectMs);
  let connections = 0;
  const agent = new Agent({
    connect: createConnector({
      allowedNetworks,
      lookup,
      connectMs,
      open: async (target) => {
        const socket = await open(target);
        connections++;
        return socket.once('close', () => connections--);
      },
    }),
    allowH2: false,
    pipelining: 1,
    clientTtl: CONNECTION_LIFE_MS,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: CONNECTION_LIFE_MS,
    maxHeaderSize: 16_384,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    dispatcher: agent,
    get connections() {
      return connections;
    },
    close: async () => {
      await Promise.all([agent.destroy(), egress?.close()]);
    },
  };
}
