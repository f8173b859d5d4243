// Clients that generators of others make from openapi.json compile, and so does a program that uses each: openapi-typescript with the lines
// of the guide, @hey-api/openapi-ts, orval and openapi-zod-client. `npm run trial -- generators` installs them from the registry into a
// temporary folder, at the versions below.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Machine, ROOT, withMachine } from './child-processes.ts';
import { report } from './test-bed.ts';

const PACKAGES = {
  'openapi-typescript': '7.13.0',
  'openapi-fetch': '0.17.0',
  '@hey-api/openapi-ts': '0.99.0',
  orval: '8.38.0',
  'openapi-zod-client': '1.18.3',
  '@zodios/core': '10.9.6',
  axios: '1.21.1',
  zod: '3.25.76',
  typescript: '5.9.3',
};

const COMPILER_OPTIONS = {
  ...{
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
  },
  ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true, types: [] },
};

interface Generator {
  /** The program and its arguments; it writes into the folder of this name. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** A program that uses what was made: it creates, lists, changes and reads, and tells the two kinds of steps apart. */
  readonly use: string;
}

const GENERATORS: readonly Generator[] = [
  {
    name: 'openapi-typescript',
    program: 'openapi-typescript',
    args: ['openapi.json', '-o', 'openapi-typescript/api.d.ts'],
    use: `declare function accessToken(): Promise<string>;
${await guide()}
await api.POST(path, { params: { ...params, header: { 'Idempotency-Key': 'form-16' } }, body: { email_address: 'ida@example.com' } });
await api.POST(\`\${path}/tags\`, { params, body: { contacts_tag: { name: 'Walk-in' } } });
await api.POST('/api/v2/workspaces/{workspace_id}/webhooks/outgoing/endpoints', {
  params,
  body: { webhooks_outgoing_endpoint: { name: 'CRM', url: 'https://crm.example' } },
});
const page = await api.GET(path, { params: { ...params, query: { per_page: 5 } } });
const names: (string | null)[] = (page.data ?? data)?.map((one) => one.first_name) ?? [];
const id: number = made.data?.id ?? names.length;
await api.PUT('/api/v2/contacts/{id}', { params: { path: { id } }, body: { contact: { first_name: null } } });
const one = await api.GET('/api/v2/contacts/{id}', { params: { path: { id } } });
const refusal: string | undefined = (one.error ?? error)?.detail;
const structure = await api.GET('/api/v2/funnels/{id}/structure', { params: { path: { id: 1 } } });
for (const step of structure.data?.steps ?? [])
  console.log(step.step_type === 'conditional_split_step' ? step.branches.length : step.name, refusal);`,
  },
  {
    name: 'hey-api',
    program: 'openapi-ts',
    args: ['-i', 'openapi.json', '-o', 'hey-api/made', '-c', '@hey-api/client-fetch'],
    use: `import { createContact, createTag, createWebhookEndpoint, getContact, getFunnelStructure, listContacts, updateContact } from './made';
import { client } from './made/client.gen';

client.setConfig({ baseUrl: 'http://localhost:4000', auth: 'fgw_…' });
const path = { workspace_id: 2 };
const made = await createContact({ path, body: { contact: { email_address: 'ida@example.com', first_name: 'Ida' } } });
await createContact({ path, body: { email_address: 'ida@example.com' }, headers: { 'Idempotency-Key': 'form-16' } });
await createTag({ path, body: { contacts_tag: { name: 'Walk-in' } } });
await createWebhookEndpoint({ path, body: { webhooks_outgoing_endpoint: { name: 'CRM', url: 'https://crm.example' } } });
const page = await listContacts({ path, query: { per_page: 5 } });
const names: (string | null)[] = page.data?.map((one) => one.first_name) ?? [];
const id: number = made.data?.id ?? names.length;
await updateContact({ path: { id }, body: { contact: { first_name: null } } });
const one = await getContact({ path: { id } });
const refusal: string | undefined = one.error?.detail;
const { data } = await getFunnelStructure({ path: { id: 1 } });
for (const step of data?.steps ?? [])
  console.log(step.step_type === 'conditional_split_step' ? step.branches.length : step.name, refusal);`,
  },
  {
    name: 'orval',
    program: 'orval',
    args: ['--input', 'openapi.json', '--output', 'orval/api.ts', '--client', 'fetch'],
    use: `import { createContact, createTag, createWebhookEndpoint, getContact, getFunnelStructure, listContacts, updateContact } from './api';

const made = await createContact(2, { contact: { email_address: 'ida@example.com', first_name: 'Ida' } });
await createContact(2, { email_address: 'ida@example.com' }, { headers: { 'Idempotency-Key': 'form-16' } });
await createTag(2, { contacts_tag: { name: 'Walk-in' } });
await createWebhookEndpoint(2, { webhooks_outgoing_endpoint: { name: 'CRM', url: 'https://crm.example' } });
const page = await listContacts(2, { per_page: 5 });
const names: (string | null)[] = page.status === 200 ? page.data.map((one) => one.first_name) : [];
const id: number = made.status === 201 ? made.data.id : names.length;
await updateContact(id, { contact: { first_name: null } });
const one = await getContact(id);
const refusal: string | null = one.status === 404 ? one.data.detail : null;
const structure = await getFunnelStructure(1);
for (const step of structure.status === 200 ? structure.data.steps : [])
  console.log(step.step_type === 'conditional_split_step' ? step.branches.length : step.name, refusal);`,
  },
  {
    name: 'zodios',
    program: 'openapi-zod-client',
    args: ['openapi.json', '-o', 'zodios/api.ts'],
    // By alias: the types of calls by path are deeper than TypeScript goes where an API has this many operations.
    use: `import { createApiClient } from './api';

const api = createApiClient('http://localhost:4000', { axiosConfig: { headers: { Authorization: 'Bearer fgw_…' } } });
const params = { workspace_id: 2 };
const made = await api.createContact({ contact: { email_address: 'ida@example.com', first_name: 'Ida' } }, { params });
await api.createContact({ email_address: 'ida@example.com' }, { params, headers: { 'Idempotency-Key': 'form-16' } });
await api.createTag({ contacts_tag: { name: 'Walk-in' } }, { params });
const hook = { webhooks_outgoing_endpoint: { name: 'CRM', url: 'https://crm.example' } };
await api.createWebhookEndpoint(hook, { params });
const page = await api.listContacts({ params, queries: { per_page: 5 } });
const names: (string | null)[] = page.map((one) => one.first_name);
const id: number = made.id;
await api.updateContact({ contact: { first_name: null } }, { params: { id } });
const one = await api.getContact({ params: { id } });
const orders = await api.listOrders({ params });
const { steps } = await api.getFunnelStructure({ params: { id: 1 } });
for (const step of steps)
  if (step.step_type === 'show_page_step') console.log(step.page.name, names, one.first_name, orders.length);`,
  },
];

await withMachine(async (machine) => {
  const { folder, run } = machine;
  const manifest = { private: true, type: 'module', dependencies: PACKAGES };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await copyFile(join(ROOT, 'openapi.json'), join(folder, 'openapi.json'));
  const installed = await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error']);
  report(`the generators are installed ${installed.stderr}`, installed.code === 0);
  for (const generator of GENERATORS) await tryGenerator(machine, generator);
});

async function tryGenerator(
  { folder, run }: Machine,
  { name, program, args, use }: Generator,
): Promise<void> {
  const own = join(folder, name);
  const bin = (command: string) => join(folder, 'node_modules/.bin', command);
  await mkdir(own);
  const made = await run(bin(program), args);
  report(`${name} makes a client ${made.code === 0 ? '' : made.stderr}`, made.code === 0);
  await writeFile(join(own, 'use.ts'), `${use}\n`);
  const settings = { compilerOptions: COMPILER_OPTIONS, include: ['.'] };
  await writeFile(join(own, 'tsconfig.json'), JSON.stringify(settings));
  const { code, stdout } = await run(bin('tsc'), ['-p', own]);
  report(`${name}: it compiles, and so does a program that uses it ${stdout.slice(0, 2_000)}`, code === 0);
}

/** What the guide shows of a typed client over REST. */
async function guide(): Promise<string> {
  const text = await readFile(join(ROOT, 'docs/browser-app.md'), 'utf8');
  const [, code] = /```ts\n(import createClient from 'openapi-fetch';[\s\S]*?)```/.exec(text) ?? [];
  if (code === undefined) throw new Error('docs/browser-app.md shows no client of openapi-fetch.');
  return code;
}
