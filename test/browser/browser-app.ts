// The app of docs/browser-app.md, made of what is printed there in the project that Vite makes, built as its scripts build it.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { preview } from 'vite';
import { create } from '../../src/services/operator/oauth-clients.ts';
import { filesOf, read } from '../docs/markdown.ts';
import type { DemoGateway } from './demo-gateway.ts';

const run = promisify(execFile);
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const CREATE_VITE = fileURLToPath(new URL('../../node_modules/create-vite/index.js', import.meta.url));
const { PATH = '' } = process.env;

/** Makes, builds and serves the app on an origin of its own. */
export async function startApp(server: DemoGateway): Promise<{ origin: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'funnel-gateway-app-'));
  await symlink(MODULES, join(folder, 'node_modules'));
  const env = { PATH: `${join(MODULES, '.bin')}${delimiter}${PATH}`, HOME: folder };
  const app = join(folder, 'contact-list');
  const template = ['contact-list', '--template', 'vanilla-ts', '--no-interactive'];
  await run(process.execPath, [CREATE_VITE, ...template], { cwd: folder, env });
  const clientId = await register(server);
  for (const { path, text } of filesOf(read('docs/browser-app.md'))) {
    await mkdir(dirname(join(app, path)), { recursive: true });
    await writeFile(
      join(app, path),
      text.replaceAll(':4000', `:${new URL(server.url).port}`).replaceAll('fgc_…', clientId),
    );
  }
  await run('graphql-codegen', [], { cwd: app, env });
  await run('npm', ['run', 'build'], { cwd: app, env });
  const site = await preview({ root: app, logLevel: 'error', preview: { host: '127.0.0.1', port: 0 } });
  const address = site.httpServer.address();
  if (address === null || typeof address === 'string') throw new Error('The app is served on no port.');
  return {
    origin: `http://localhost:${address.port}`,
    async close() {
      await site.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What the guide's `client create` does. */
async function register({ app }: DemoGateway): Promise<string> {
  const { client } = await create(app, {
    name: 'Contact list',
    isPublic: true,
    grants: ['authorization_code', 'refresh_token'],
    scopes: ['contacts:read'],
    redirectUris: ['http://localhost:5173/'],
  });
  return client.id;
}
