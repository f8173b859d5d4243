// Opens connections through an HTTP proxy. It sends the proxy the checked address, never a name, which the proxy would resolve itself.
import { isIPv6, type Socket } from 'node:net';
import { buildConnector, Pool } from 'undici';
import { AttemptFailure } from './attempt-errors.ts';
import { type Open, openBy } from './connections.ts';

interface EgressProxy {
  readonly open: Open;
  close(): Promise<void>;
}

/** @param url http or https, with or without credentials @param connectMs the timeout */
export function createEgressProxy(url: string, connectMs: number): EgressProxy {
  const { origin, username, password } = new URL(url);
  const connector = buildConnector({ allowH2: false, timeout: connectMs });
  const pool = new Pool(origin, { connect: connector, headersTimeout: connectMs, maxHeaderSize: 16_384 });
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  const authorization =
    username === '' && password === ''
      ? {}
      : { 'proxy-authorization': `Basic ${credentials.toString('base64')}` };

  /** Opens a tunnel with CONNECT (RFC 9110 §9.3.6). */
  async function openTunnel(authority: string): Promise<Socket> {
    const { statusCode, socket } = await pool
      .connect({ path: authority, headers: { host: authority, ...authorization } })
      .catch(() => {
        throw new AttemptFailure('proxy');
      });
    if (statusCode === 200) return socket as Socket;
    socket.on('error', () => {}).destroy();
    throw new AttemptFailure('proxy');
  }

  return {
    open: async (target) => {
      const { address, port, protocol } = target;
      const tunnel = await openTunnel(isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`);
      return protocol === 'https:' ? openBy(connector, tunnel)(target) : tunnel;
    },
    close: () => pool.destroy(),
  };
}
