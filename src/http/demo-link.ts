// The demo's sign-in link over HTTP: GraphiQL's own page, on this machine, sends the code from the link's fragment and gets the demo key.
// A request that does not clearly come from this page is refused, always with the same error.
import type { Hono } from 'hono';
import { isLoopbackAddress, isLoopbackHost } from '../config/loopback.ts';
import { AppError } from '../errors.ts';
import type { DemoLink } from '../graphiql/demo-link.ts';
import { readBody } from '../messages/body.ts';
import type { Exchange, HttpEnv } from './exchange.ts';

const DEMO_KEY_PATH = '/graphiql/demo-key';

/** More than the length of `{"code":"…"}`. */
const MAX_BODY_BYTES = 256;

/** Headers that proxies add. Behind a proxy, a loopback address does not mean that the client is on this machine. */
const FORWARDED =
  /^(forwarded|x-forwarded(-.*)?|via|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip|fastly-client-ip)$/;

/** Mounts `POST /graphiql/demo-key`. @param link null: nothing is mounted */
export function mountDemoLink(http: Hono<HttpEnv>, link: DemoLink | null): void {
  if (link === null) return;
  http.post(DEMO_KEY_PATH, async (c) => {
    // Secrets must not be compressed (compression.ts).
    c.header('Cache-Control', 'no-store, no-transform');
    const { exchange } = c.env;
    const key = isOwnPage(exchange) ? await link.redeem(await readCode(exchange.request)) : null;
    if (key === null) throw refused();
    return c.json({ key });
  });
}

/** Whether the request comes from a page of this origin, in a browser on this machine, without a proxy. */
function isOwnPage({ request: { headers }, url, address }: Exchange): boolean {
  const { hostname, origin } = url;
  const site = headers.get('sec-fetch-site') ?? 'same-origin';
  return (
    isLoopbackPeer(address) &&
    (isLoopbackHost(hostname) || isLoopbackAddress(hostname)) &&
    ![...headers.keys()].some((name) => FORWARDED.test(name)) &&
    // Pages of other origins send another Origin, programs none. JSON from another origin needs a preflight, which is not answered.
    headers.get('origin') === origin &&
    site === 'same-origin' &&
    headers.get('content-type') === 'application/json'
  );
}

/** @param address the socket's address, since forwarded addresses do not count here; also IPv4-mapped IPv6 (RFC 4291 §2.5.5.2) */
function isLoopbackPeer(address: string): boolean {
  return address === '::1' || isLoopbackAddress(address.replace(/^::ffff:/i, ''));
}

async function readCode(request: Request): Promise<string> {
  try {
    const body: unknown = JSON.parse(new TextDecoder().decode(await readBody(request, MAX_BODY_BYTES)));
    const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
    return typeof code === 'string' ? code : '';
  } catch (error) {
    if (error instanceof SyntaxError) return '';
    throw error;
  }
}

function refused(): AppError {
  return new AppError(
    'not_found',
    'This link has expired or was already used. It works once, for five minutes, on the machine that printed it.',
  );
}
