// A TCP proxy before a server on this machine, which counts what the server sends: headers and all, whoever asks for it in
// the browser, a page, its workers or its style sheets.
import { type AddressInfo, connect, createServer } from 'node:net';

export interface CountingProxy {
  readonly port: number;
  /** Bytes that the server has sent through it so far. */
  readonly sent: number;
  close(): Promise<void>;
}

/** @param target where the server listens */
export async function startCountingProxy(target: URL): Promise<CountingProxy> {
  let sent = 0;
  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    server.on('data', (bytes) => {
      sent += bytes.length;
    });
    client.pipe(server).pipe(client);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    port: (proxy.address() as AddressInfo).port,
    get sent() {
      return sent;
    },
    close: () => new Promise((resolve) => proxy.close(() => resolve())),
  };
}
