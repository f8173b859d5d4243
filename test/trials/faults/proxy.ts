// A network between the gateway and PostgreSQL that can break: a TCP proxy on loopback.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What it does with what arrives: hand it on, say nothing for ever, or refuse connections. */
type ProxyMode = 'pass' | 'swallow' | 'refuse';

export interface BreakableNetwork {
  /** The database's address through it. */
  readonly url: string;
  /** How many connections of clients are open. */
  readonly open: number;
  /** `swallow` keeps connections and takes new ones; `refuse` cuts all off. What was swallowed is never handed on. */
  set(mode: ProxyMode): Promise<void>;
  /** Leads to another server from now on, as an address that moves or a pooler does: what is open is cut off. */
  lead(target: string): void;
  /** Drops the server's side of so many connections, of which their clients hear nothing. @returns how many there were */
  halve(count: number): number;
  close(): Promise<void>;
}

/** Starts it. @param target the address of PostgreSQL, over TCP */
export async function startProxy(target: string): Promise<BreakableNetwork> {
  let upstreamUrl = new URL(target);
  const pairs = new Map<Socket, Socket>();
  let mode: ProxyMode = 'pass';
  const server = createServer((client) => {
    client.on('error', () => {}).on('close', () => pairs.get(client)?.destroy());
    client.on('close', () => pairs.delete(client));
    if (mode === 'swallow') {
      pairs.set(client, client);
      client.resume();
      return;
    }
    const upstream = connect(Number(upstreamUrl.port), upstreamUrl.hostname);
    pairs.set(client, upstream);
    upstream.on('error', () => {});
    const hand = (from: Socket, to: Socket) => {
      from.on('data', (chunk) => {
        if (mode === 'pass' && pairs.get(client) === upstream) to.write(chunk);
      });
      from.on('end', () => {
        if (mode === 'pass' && pairs.get(client) === upstream) to.end();
      });
    };
    hand(client, upstream);
    hand(upstream, client);
    upstream.on('close', () => {
      if (mode !== 'swallow' && pairs.get(client) === upstream) client.destroy();
    });
  });
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const own = (server.address() as AddressInfo).port;
  const url = new URL(target);
  url.port = String(own);
  return {
    url: url.href,
    get open() {
      return pairs.size;
    },
    async set(next) {
      const was = mode;
      mode = next;
      if (next === 'refuse') {
        server.close();
        for (const client of pairs.keys()) client.destroy();
      } else if (was === 'refuse') await listen(own);
      // What was sent meanwhile is lost: such a connection never says anything again.
      if (was === 'swallow')
        for (const [client, upstream] of pairs) {
          pairs.set(client, client);
          if (upstream !== client) upstream.destroy();
        }
    },
    lead(next) {
      upstreamUrl = new URL(next);
      for (const client of pairs.keys()) client.destroy();
    },
    halve(count) {
      const chosen = [...pairs].filter(([client, upstream]) => client !== upstream).slice(0, count);
      for (const [client, upstream] of chosen) {
        pairs.set(client, client);
        upstream.destroy();
      }
      return chosen.length;
    },
    async close() {
      server.close();
      for (const [client, upstream] of pairs) {
        client.destroy();
        upstream.destroy();
      }
    },
  };
}
