// The banner that `serve` prints after its start: the addresses, and one command to try. Pure.
import { isIP } from 'node:net';
import { isServiceHost } from '../auth/hosts.ts';
import type { Config } from '../config/config.ts';
import { isLoopbackAddress } from '../config/loopback.ts';
import { DEMO_LINK_MINUTES } from '../graphiql/demo-link.ts';
import type { DemoKey, DemoPerson } from './demo.ts';

export interface BannerFacts {
  readonly config: Config;
  readonly port: number;
  /** null: the process serves no metrics. */
  readonly metricsPort: number | null;
  /** null: there is no key to print. */
  readonly demoKey: DemoKey | null;
  /** The person who can sign in to the demo; null without a stored password. */
  readonly demoPerson: DemoPerson | null;
  /** The code of the link that signs in; null when none is printed. */
  readonly demoCode: string | null;
  /** A workspace that the demo key gives access to. */
  readonly workspaceId: bigint | null;
  /** Where the embedded database's files are; null for an external server. */
  readonly data: {
    readonly folder: string;
    readonly relocated: boolean;
    /** Folders with databases whose data folders have been removed. */
    readonly earlier: readonly string[];
  } | null;
  readonly store: 'ready' | 'empty' | 'not migrated';
  /** Whether the store has signing keys that no secret key of this process decrypts. */
  readonly isSecretKeyWrong: boolean;
  /** This machine's network addresses. */
  readonly networkAddresses: readonly string[];
}

/** The message in the banner and the log. */
export const WRONG_SECRET_KEY =
  'SECRET_KEY is not the one of this store, so nobody can sign in: set the one that it had, or, if that is lost, run "npx funnel-gateway signing-key rotate --now".';

/** The addresses as a user on this machine can open them. */
export function addressesOf({
  config,
  port,
  metricsPort,
}: Pick<BannerFacts, 'config' | 'port' | 'metricsPort'>): {
  rest: string;
  graphql: string;
  graphiql: string;
  metrics?: string;
} {
  const { host, serviceHost } = config;
  // If SERVICE_HOST is an IP address, the service listens on it too.
  const anywhere = isIP(serviceHost) === 0 ? 'localhost' : serviceHost;
  const hostname = isAnywhere(config) ? anywhere : inUrl(host);
  const origin = `http://${hostname}:${port}`;
  return {
    rest: `${origin}/api/v2`,
    graphql: `${origin}/graphql`,
    graphiql: `${origin}/graphql`,
    ...(config.metrics !== null &&
      metricsPort !== null && { metrics: metricsAddress(config.metrics.host, metricsPort) }),
  };
}

function metricsAddress(host: string, port: number): string {
  return `http://${isAnywhere({ host }) ? 'localhost' : inUrl(host)}:${port}/metrics`;
}

function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function isAnywhere({ host }: Pick<Config, 'host'>): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** The address for other machines, or the setting that makes one; empty if the service listens only on loopback. */
function networkLines(facts: BannerFacts): string[] {
  const { config, port, networkAddresses } = facts;
  const { hostname } = new URL(addressesOf(facts).rest);
  if (!isAnywhere(config) && (isLoopbackAddress(hostname) || hostname === 'localhost')) {
    if (isServiceHost(config, hostname)) return [];
    return [
      `  Network   requests must be sent to the host ${config.serviceHost} (SERVICE_HOST), by a proxy on this machine`,
    ];
  }
  const [example = hostname] = isAnywhere(config) ? networkAddresses : [hostname];
  if (config.serviceHost === 'localhost')
    return [
      `  Network   other machines are refused with 421 unless SERVICE_HOST is the name or address that they use:`,
      `            SERVICE_HOST=${example}`,
    ];
  if (isServiceHost(config, hostname)) return [];
  return [
    `  Network   requests must be sent to the host ${config.serviceHost} (SERVICE_HOST): http://${config.serviceHost}:${port}, or a proxy's address`,
  ];
}

/** The banner for people. */
export function banner(facts: BannerFacts): string {
  const { rest, graphql, graphiql, metrics } = addressesOf(facts);
  // A browser sends the host name of the address that it opens.
  const opens = isServiceHost(facts.config, new URL(graphiql).hostname);
  return [
    '',
    '  Funnel Gateway is running.',
    '',
    `  REST      ${rest}`,
    `  GraphQL   ${graphql}`,
    ...(facts.config.graphiql ? [`  GraphiQL  ${graphiql}${opens ? '  (open it in a browser)' : ''}`] : []),
    ...(metrics === undefined ? [] : [`  Metrics   ${metrics}`]),
    ...(facts.demoCode === null || !opens ? [] : [signedInLine(graphiql, facts.demoCode)]),
    ...(facts.demoKey === null ? [] : [`  Demo key  ${facts.demoKey.token}`]),
    ...(facts.demoPerson === null ? [] : [signInLine(facts.demoPerson)]),
    `  Data      ${dataLocation(facts)}`,
    ...(facts.isSecretKeyWrong ? [`  Warning   ${WRONG_SECRET_KEY}`] : []),
    ...networkLines(facts),
    '',
    ...nextSteps(facts).map((line) => `  ${line}`),
    '',
    '  Stop it with Ctrl-C.',
    '',
  ].join('\n');
}

/** The code is in the URL's fragment, which a browser never sends to a server. */
function signedInLine(graphiql: string, code: string): string {
  return `  Signed in ${graphiql}#demo=${code}\n            (the same with the demo key in it: once, within ${DEMO_LINK_MINUTES} minutes)`;
}

function signInLine({ email, password }: DemoPerson): string {
  return `  Sign in   ${email}  (password ${password})`;
}

function dataLocation({ data, config }: BannerFacts): string {
  if (data === null) return 'the PostgreSQL server named in DATABASE_URL';
  const lines = [
    data.folder,
    ...(data.relocated
      ? [
          `(not in ${config.dataDir}: PostgreSQL does not run as root, and no other user can enter that folder)`,
        ]
      : []),
    ...(data.earlier.length > 0
      ? [`(of a ${config.dataDir} that was removed, and in nobody's way: ${data.earlier.join(', ')})`]
      : []),
  ];
  return lines.join('\n            ');
}

function nextSteps(facts: BannerFacts): string[] {
  switch (facts.store) {
    case 'not migrated':
      return ['The database is not up to date:', '  npx funnel-gateway migrate'];
    case 'empty':
      return [
        'The database is empty. A store of your own begins with a team:',
        '  npx funnel-gateway team create --name "..."',
        facts.data === null
          ? 'Demo data is put into a server of yours only when asked for:'
          : 'Demo data, with a demo key:',
        '  npx funnel-gateway seed',
      ];
    case 'ready':
      return facts.demoKey === null
        ? ['An API key to try it with:', '  npx funnel-gateway token create --team 1 --scopes "read write"']
        : ['Try it:', `  ${curlLine(facts, facts.demoKey.token)}`];
  }
}

function curlLine(facts: BannerFacts, token: string): string {
  const { rest } = addressesOf(facts);
  const { hostname } = new URL(rest);
  const path = facts.workspaceId === null ? '/teams' : `/workspaces/${facts.workspaceId}/contacts?per_page=2`;
  // If the address is not a host of the service, the request needs the right Host header; otherwise the answer is 421.
  const host = isServiceHost(facts.config, hostname) ? '' : ` -H 'Host: ${facts.config.serviceHost}'`;
  return `curl -s${host} -H 'Authorization: Bearer ${token}' '${rest}${path}'`;
}
