// Receivers of webhooks for the tests of the sender: servers on any address, which count the connections that reach them.
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, BlockList, createServer, isIPv6, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Receiver extends AsyncDisposable {
  readonly port: number;
  /** Connections to it, whether or not anything was sent. */
  readonly connections: number;
}

/** A list of ranges such as `127.0.0.1/32`. */
export function networks(...ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** A server with a handler for connections. */
export function receiveRaw(
  onSocket: (socket: Socket) => void,
  host?: string,
  port?: number,
): Promise<Receiver> {
  return start(
    createServer((socket) => {
      socket.on('error', () => {});
      onSocket(socket);
    }),
    host,
    port,
  );
}

/** An HTTP server. */
export function receive(listener: RequestListener, host?: string, port?: number): Promise<Receiver> {
  return start(createHttpServer(listener), host, port);
}

/** An HTTPS server. */
export function receiveTls(
  { key, cert }: Certificate,
  listener: RequestListener,
  onServername: (name: string) => void = () => {},
): Promise<Receiver> {
  const server = createHttpsServer({ key, cert }, listener);
  server.on('secureConnection', ({ servername }) => onServername(String(servername)));
  return start(server);
}

async function start(server: Server, host = '127.0.0.1', port = 0): Promise<Receiver> {
  let connections = 0;
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** The body of a request. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Certificates are made by the `openssl` of the machine. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate that is its own authority. @param names such as `DNS:example.com` or `IP:127.0.0.1` */
export function makeCertificate(names: string): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  try {
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
        ...['-keyout', key, '-out', cert, '-subj', '/CN=receiver', '-addext', `subjectAltName=${names}`],
      ],
      { stdio: 'pipe' },
    );
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
