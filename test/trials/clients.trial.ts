// Clients that others have written create, find, tag and delete contacts: two that are made from openapi.json, and three of GraphQL.
// `npm run trial -- clients` installs them from the registry into a temporary folder, at the versions below.
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, withMachine } from './child-processes.ts';
import { startGateway } from './gateway-process.ts';
import { report } from './test-bed.ts';

const PACKAGES = {
  'openapi-fetch': '0.17.0',
  'openapi-client-axios': '7.9.1',
  axios: '1.21.1',
  'graphql-request': '7.4.0',
  '@urql/core': '6.0.3',
  '@apollo/client': '4.3.8',
  rxjs: '7.8.2',
  graphql: '16.15.0',
};
const CLIENTS = 5;

await withMachine(async ({ folder, run }) => {
  const manifest = { private: true, type: 'module', dependencies: PACKAGES };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await copyFile(join(ROOT, 'test/trials/clients/lives.mjs'), join(folder, 'lives.mjs'));
  const installed = await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error']);
  report('the clients are installed', installed.code === 0);
  const gateway = await startGateway();
  try {
    const query = '{ viewer { teams { nodes { workspaces { nodes { databaseId } } } } } }';
    const { text } = await gateway.send('/graphql', {
      body: JSON.stringify({ query }),
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${gateway.key}` },
    });
    const [, workspaceId = ''] = /"databaseId":"?(\d+)/.exec(text) ?? [];
    const openapi = join(ROOT, 'openapi.json');
    const { stdout, stderr } = await run('node', [
      'lives.mjs',
      gateway.origin,
      gateway.key,
      workspaceId,
      openapi,
    ]);
    const lines = stdout.trim().split('\n');
    for (const line of lines) report(line.replace('\t', ': '), line.endsWith('\tok'));
    report(`${lines.length} clients were tried ${stderr}`, lines.length === CLIENTS);
  } finally {
    await gateway.stop();
  }
});
