// Serves the metrics on a separate port, so that clients of the gateway's port cannot reach them.
import { createServer, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { App } from '../context.ts';
import { bind } from './bind.ts';
import type { Listener } from './listener.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

const PATH = '/metrics';
/** The content type of Prometheus' text format. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 50;

/** The parts of the App that the listener needs. */
interface MetricsApp extends Pick<App, 'config' | 'log'> {
  readonly metrics: Pick<App['metrics'], 'render'>;
}

/** @returns null if METRICS_PORT is not set. @throws StartupError when the address cannot be bound */
export async function listenForMetrics({
  config,
  metrics,
  log,
}: MetricsApp): Promise<Omit<Listener, 'failed'> | null> {
  if (config.metrics === null) return null;
  /** The rendering in progress, which concurrent scrapes share. */
  let rendering: Promise<string> | null = null;

  async function answer(outgoing: ServerResponse): Promise<void> {
    try {
      rendering ??= metrics.render().finally(() => {
        rendering = null;
      });
      send(outgoing, 200, await rendering, CONTENT_TYPE);
    } catch (error) {
      log.error({ err: error }, 'metrics could not be rendered');
      send(outgoing, 500, 'The metrics could not be rendered.\n');
    }
  }

  const { host } = config.metrics;
  const http = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS },
    ({ method = '', url = '', headers }, outgoing) => {
      if (!isOwnHost(headers.host ?? '', host))
        send(outgoing, 421, 'This is the port of metrics. Ask for it by its address.\n');
      else if (url.split('?')[0] !== PATH) send(outgoing, 404, `The metrics are at ${PATH}.\n`);
      else if (method === 'GET' || method === 'HEAD') void answer(outgoing);
      else
        send(
          outgoing.setHeader('Allow', 'GET, HEAD'),
          405,
          'This path does not support the method. Use GET, HEAD.\n',
        );
    },
  );
  http.maxConnections = MAX_CONNECTIONS;
  http.setTimeout(REQUEST_TIMEOUT_MS);
  const port = await bind(http, config.metrics, {
    prefix: 'METRICS_',
    consequence: ', so metrics cannot be served there',
  });
  http.on('error', (error) => log.error({ err: error }, 'metrics server'));
  return {
    port,
    async close() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      http.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Whether a request's Host is the listener's own: an IP address or METRICS_HOST, a name without a dot, such as a container's, or localhost.
 * So a page whose own name resolves to this machine (DNS rebinding) cannot read the metrics.
 */
function isOwnHost(header: string, host: string): boolean {
  const { hostname } = URL.parse(`http://${header}`) ?? { hostname: '' };
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  return isAddress || hostname === host.toLowerCase() || /^[a-z0-9_-]+$/.test(hostname);
}

function send(outgoing: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8') {
  // After an error the connection is closed, so that the rest of the request's body is not read.
  outgoing.shouldKeepAlive = status === 200;
  outgoing.writeHead(status, {
    ...SECURITY_HEADERS,
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
  });
  outgoing.end(body);
}
