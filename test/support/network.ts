// A proxy before a PostgreSQL server that simulates a bad network: it can go silent without closing connections, break connections at a
// chosen moment, and lose the server's messages of one type.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';

/** One connection through the proxy. */
interface NetworkConnection {
  /** Stops forwarding, without closing the connection. */
  cut(): void;
}

export interface Network {
  /** The database's address through the proxy. */
  readonly url: string;
  /** Stops forwarding without closing connections: on existing ones, and on new ones until `heal`. */
  silence(): void;
  /** Forwards new connections again; silent ones stay silent. */
  heal(): void;
  /** In the order in which they were made. */
  readonly connections: readonly NetworkConnection[];
  /** Breaks the connection on which the client sends its next but `after`: before the server has it, or when the server answers. */
  breakNext(after: number, moment: 'request' | 'answer'): Break;
  close(): Promise<void>;
}

interface Break {
  readonly hasHappened: boolean;
  /** It is not to happen any more. */
  cancel(): void;
}

interface NetworkOptions {
  /** The type of the server's messages that are lost, such as `A`. */
  readonly losing?: string;
}

export async function createNetwork(databaseUrl: string, { losing }: NetworkOptions = {}): Promise<Network> {
  const { host, port } = new pg.Client({ connectionString: databaseUrl });
  const sockets = new Set<Socket>();
  const connections: NetworkConnection[] = [];
  let planned: { after: number; moment: 'request' | 'answer'; hasHappened: boolean } | null = null;
  let isSilent = false;
  const server = createServer((client) => {
    const upstream = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    let isCut = isSilent;
    const pass = (from: Socket, to: Socket, filter: (bytes: Buffer) => Buffer) => {
      sockets.add(from);
      from.on('data', (bytes: Buffer) => !isCut && to.write(filter(bytes)));
      from.on('close', () => !isCut && to.destroy());
      from.on('error', () => {});
    };
    const breakConnection = () => {
      client.destroy();
      upstream.destroy();
    };
    client.on('data', () => {
      if (planned === null || planned.after-- > 0) return;
      planned.hasHappened = true;
      // What is written to an upstream that is destroyed at once is not sent.
      if (planned.moment === 'request') breakConnection();
      else upstream.prependOnceListener('data', breakConnection);
      planned = null;
    });
    pass(client, upstream, (bytes) => bytes);
    pass(upstream, client, losing === undefined ? (bytes) => bytes : createFilter(losing));
    connections.push({
      cut() {
        isCut = true;
      },
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.searchParams.delete('host');
  url.searchParams.delete('port');
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    connections,
    silence() {
      isSilent = true;
      for (const connection of connections) connection.cut();
    },
    heal() {
      isSilent = false;
    },
    breakNext(after, moment) {
      const plan = { after, moment, hasHappened: false };
      planned = plan;
      return {
        get hasHappened() {
          return plan.hasHappened;
        },
        cancel() {
          planned = null;
        },
      };
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const HEADER_BYTES = 5;

/** Leaves out whole messages of one type, however they are cut into pieces. */
function createFilter(type: string): (bytes: Buffer) => Buffer {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const kept: Buffer[] = [];
    while (rest.length >= HEADER_BYTES && rest.length > rest.readUInt32BE(1)) {
      const message = rest.subarray(0, 1 + rest.readUInt32BE(1));
      rest = rest.subarray(message.length);
      if (message.toString('latin1', 0, 1) !== type) kept.push(message);
    }
    return Buffer.concat(kept);
  };
}
