// A clone without development tools, and the package that `npm pack` makes, serve both faces under Node 24, stop cleanly, and are as
// small as the guide says.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { type Machine, ROOT, withMachine } from './child-processes.ts';
import { say } from './say.ts';
import { quantile, report } from './test-bed.ts';

/** A clone has Prisma's command line, which generates the client; the package has the client, and 18 MB of pages: 8 are the REST reference. */
const MAX_MEGABYTES = { clone: 500, package: 250 };
const BANNER = 'Stop it';
const PAGE = { Accept: 'text/html' };

await withMachine(async (machine) => {
  await tryClone(machine);
  await tryPackage(machine, await pack(machine));
});

async function tryClone(machine: Machine): Promise<void> {
  const { folder, run, start, environment } = machine;
  const clone = join(folder, 'clone');
  await run('git', ['clone', '--quiet', ROOT, clone]);
  const install = await run('npm', ['ci', '--omit=dev', '--prefer-offline'], { cwd: clone });
  report(`npm ci --omit=dev ends with ${install.code}`, install.code === 0);
  await reportSize('a clone without development tools', clone, run, MAX_MEGABYTES.clone);
  const { stdout: changed } = await run('git', ['status', '--porcelain'], { cwd: clone });
  report(`it leaves the clone clean ${changed}`, changed === '');

  const env = { ...environment(), PORT: '0', DATA_DIR: join(folder, 'data') };
  const server = await start('npm', ['start'], BANNER, { cwd: clone, env });
  report('npm start prints no flags', !server.printed.includes('--max-semi-space-size'));
  await reportFaces(server.printed, 'npm run build');
  await tryStudio(machine, clone, join(folder, 'data/postgres'));
  const { code } = await server.stop();
  report(`SIGTERM to npm start: ends with ${code}`, code === 0 && !isDatabaseUp(join(folder, 'data')));

  const old = await run('npm', ['start'], { cwd: clone, env: { ...env, ...environment("the machine's") } });
  const { stdout: version } = await run('node', ['--version'], { env: environment("the machine's") });
  if (Number.parseInt(version.slice(1), 10) < 24)
    report(`under ${version.trim()} npm start says what it needs`, /needs Node 24/.test(old.stderr));
  else say(`     the machine's Node is ${version.trim()}: what older ones are told was not tried`);
}

/** Prisma Studio over the database of a gateway that runs, as the guide says. */
async function tryStudio({ start, environment }: Machine, clone: string, host: string): Promise<void> {
  const port = String(await freePort());
  const env = {
    ...environment(),
    ...{ PGHOST: host, PGUSER: 'funnel_gateway', DATABASE_URL: 'postgresql:///funnel_gateway' },
  };
  const args = ['studio', '--browser', 'none', '--port', port];
  // Not through npx, which would be told to stop in its place.
  const program = join(clone, 'node_modules/.bin/prisma');
  const studio = await start(program, args, 'is running at', { cwd: clone, env });
  const page = await fetch(`http://localhost:${port}/`);
  report(`prisma studio shows a page: ${page.status}`, page.ok && (await page.text()).includes('studio.js'));
  await studio.stop();
}

async function pack({ folder, run }: Machine): Promise<string> {
  const before = await run('git', ['status', '--porcelain'], { cwd: ROOT });
  const packed = await run('npm', ['pack', '--silent', '--json', '--pack-destination', folder], {
    cwd: ROOT,
  });
  report(`npm pack ends with ${packed.code} ${packed.stderr}`, packed.code === 0);
  const [made] = Object.values(JSON.parse(packed.stdout)) as [
    { filename: string; size: number; files: { path: string }[] },
  ];
  const paths = made.files.map(({ path }) => path);
  say(`     ${made.filename}: ${(made.size / 1e6).toFixed(1)} MB, ${paths.length} files`);
  const needed = ['lib/main.js', 'build/graphiql/index.html', 'generated/prisma/client.js'];
  report(
    'it carries the bundle and everything generated',
    needed.every((path) => paths.includes(path)),
  );
  report('it carries no test', !paths.some((path) => /^(src|test)\/|\.env|\.data|\.ts$/.test(path)));
  const after = await run('git', ['status', '--porcelain'], { cwd: ROOT });
  report('npm pack leaves the checkout as it was', after.stdout === before.stdout);
  return join(folder, made.filename);
}

async function tryPackage(machine: Machine, archive: string): Promise<void> {
  const { run, start, environment } = machine;
  const folder = join(machine.folder, 'empty');
  await mkdir(folder, { mode: 0o755 });
  const install = await run('npm', ['install', '--prefer-offline', archive], { cwd: folder });
  report(`npm install of the package ends with ${install.code}`, install.code === 0);
  await reportSize('the package and what it needs', folder, run, MAX_MEGABYTES.package);

  const env = { ...environment(), PORT: '0' };
  const server = await start('npx', ['funnel-gateway', 'serve'], BANNER, { cwd: folder, env });
  await reportFaces(server.printed, 'type="module"');
  const data = join(folder, '.data');
  report('its data is in the current folder', isDatabaseUp(data));
  for (const command of ['--help', 'migrate status', 'token list', 'user list'])
    await timeCommand(machine, folder, command);
  await server.stop();
  report('SIGTERM to npx stops the server and its database', !isDatabaseUp(data));

  const other = join(machine.folder, 'other');
  await mkdir(other);
  // A bare absolute path is taken by npx for a program.
  const direct = await run('npx', ['--yes', `file:${archive}`, 'help', 'serve'], { cwd: other });
  report('npx runs the archive from an empty folder', direct.stdout.includes('DATABASE_URL'));
}

async function timeCommand({ run, environment }: Machine, folder: string, command: string): Promise<void> {
  const times: number[] = [];
  const env = { ...environment(), PORT: '0' };
  for (let round = 0; round < 3; round++) {
    const startedAt = performance.now();
    const { code } = await run('npx', ['funnel-gateway', ...command.split(' ')], { cwd: folder, env });
    times.push(performance.now() - startedAt);
    if (code !== 0) report(`npx funnel-gateway ${command} ends with ${code}`, false);
  }
  say(`     npx funnel-gateway ${command}: ${quantile(times, 0.5)} ms (median of ${times.length})`);
}

async function reportSize(what: string, folder: string, run: Machine['run'], most: number): Promise<void> {
  const { stdout } = await run('du', ['-sm', join(folder, 'node_modules')]);
  const megabytes = Number.parseInt(stdout, 10);
  report(`${what}: ${megabytes} MB`, megabytes > 0 && megabytes <= most);
}

/** Asks both faces with the key of the banner, and a browser's page, which has to hold `text`. */
async function reportFaces(banner: string, text: string): Promise<void> {
  const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(banner)?.[0] ?? '';
  const headers = {
    Authorization: `Bearer ${/fgw_\w+/.exec(banner)?.[0]}`,
    'Content-Type': 'application/json',
  };
  const rest = await fetch(`${origin}/api/v2/teams`, { headers });
  const body = JSON.stringify({ query: '{ viewer { kind } }' });
  const graphql = await fetch(`${origin}/graphql`, { method: 'POST', headers, body });
  report('both faces answer', rest.ok && (await graphql.text()).includes('API_KEY'));
  const page = await (await fetch(`${origin}/graphql`, { headers: PAGE })).text();
  report(`the explorer's page has ${text}`, page.includes(text));
}

function isDatabaseUp(dataDir: string): boolean {
  return existsSync(join(dataDir, 'postgres', 'postmaster.pid'));
}
