// Checks whether the gateway can listen on its configured addresses, or already does.
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../../config/config.ts';
import { codeOf, messageOf } from '../../store/embedded/failure.ts';
import { type Finding, findingsOf } from './findings.ts';
import type { Limits } from './limits.ts';

const { fail, ok } = findingsOf('listening');

/** Checks PORT on HOST, and METRICS_PORT on METRICS_HOST; keeps no port open. */
export async function checkListening({ host, port, metrics }: Config, limits: Limits): Promise<Finding[]> {
  if (port === 0) return [ok(`PORT=0: a free port of ${host}`)];
  // That gateway also uses the metrics port.
  if (await isGateway(host, port, limits.answerMs))
    return [ok(`a gateway answers on port ${port} of ${host}`)];
  const findings = [await checkFree('', host, port)];
  if (metrics !== null && metrics.port !== 0)
    findings.push(await checkFree('METRICS_', metrics.host, metrics.port));
  return findings;
}

/** Checks whether an address is free. @param prefix the prefix of its variables: '' or 'METRICS_' */
async function checkFree(prefix: '' | 'METRICS_', host: string, port: number): Promise<Finding> {
  const refusal = await tryPort(host, port);
  if (refusal === null) return ok(`port ${port} of ${host} is free`);
  switch (codeOf(refusal)) {
    case 'EADDRINUSE':
      return fail(
        `port ${port} of ${host} is used by another program`,
        `stop it, or set ${prefix}PORT to another`,
      );
    case 'EACCES':
      return fail(
        `this user may not listen on port ${port}`,
        `set ${prefix}PORT to 1024 or more, behind a proxy`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return fail(`${host} is no address of this machine`, `set ${prefix}HOST to one, or to 0.0.0.0 for all`);
    default:
      return fail(messageOf(refusal), `correct ${prefix}HOST and ${prefix}PORT`);
  }
}

/** Whether a gateway answers: /healthz is the same in every version. */
async function isGateway(host: string, port: number, timeoutMs: number): Promise<boolean> {
  const anywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };
  const name = anywhere[host] ?? (host.includes(':') ? `[${host}]` : host);
  try {
    const answer = await fetch(`http://${name}:${port}/healthz`, {
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const isAlive = answer.ok && answer.headers.has('X-Request-Id');
    await answer.body?.cancel();
    return isAlive;
  } catch {
    return false;
  }
}

/** Opens the port for a moment. Returns the error, or null. */
async function tryPort(host: string, port: number): Promise<Error | null> {
  await using server = createServer();
  return once(server.listen({ host, port, exclusive: true }), 'listening').then(
    () => null,
    (error: Error) => error,
  );
}
