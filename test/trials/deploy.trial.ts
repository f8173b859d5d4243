// What stands in deploy/, and the reverse proxy of the guide, as far as a machine without a container engine can try them.
// It needs `nginx`, `systemd` and `openssl`, as Debian has them, and takes linters from the npm registry. Of systemd nothing runs: its tools
// check the units and hand over the socket, and a shell takes the place of the service manager. `npm run trial -- deploy socket` tries
// the units alone.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openEmbedded } from '../../src/store/embedded/embedded.ts';
import { blocksOf, read } from '../docs/markdown.ts';
import { type Machine, ROOT, withMachine } from './child-processes.ts';
import { type Image, play } from './dockerfile.ts';
import { say } from './say.ts';
import { startClients } from './steady-clients.ts';
import { report } from './test-bed.ts';

const LINTERS = ['dockerfile-utils@0.16.3', 'dockerlinter@2.0.0', 'dclint@3.1.0'];
const SECRET_KEY = 'a secret key for trials that is of no use to anybody';
/** Of systemd's ten; a unit without any hardening has 9.2. */
const MAX_EXPOSURE = 2;
/** Restarts of the service, while clients go on. */
const RESTARTS = 4;
/** The service manager of one instance: it keeps the socket, and starts the program again when that has ended. */
const MANAGER = `trap 'kill $!; wait $!; exit 0' TERM
while :; do sh -c 'LISTEN_PID=$$ exec "$0" "$@"' "$0" "$@" & wait $!; done`;

await withMachine(async (machine) => {
  if (process.argv[3] === 'socket') {
    await tryUnit(machine);
    return trySocket(machine);
  }
  await lint(machine);
  await tryUnit(machine);
  await trySocket(machine);
  await tryImage(machine);
  await tryProxy(machine);
});

async function lint({ folder, run }: Machine): Promise<void> {
  const prefix = join(folder, 'linters');
  // Without scripts: one of them would fetch shellcheck from GitHub.
  await run('npm', ['install', '--prefix', prefix, '--ignore-scripts', '--no-audit', ...LINTERS]);
  const require = createRequire(join(prefix, 'x.js'));
  const dockerfile = join(ROOT, 'deploy/Dockerfile');
  const { validate } = require('dockerfile-utils') as { validate(text: string): { message: string }[] };
  const found = validate(await readFile(dockerfile, 'utf8')).map(({ message }) => message);
  report(`dockerfile-utils finds ${found.join('; ') || 'nothing'}`, found.length === 0);
  const bin = (name: string) => join(prefix, 'node_modules/.bin', name);
  const style = await run(bin('dockerlinter'), ['-f', dockerfile, '-s', 'none', '-e', 'info']);
  report(`dockerlinter finds ${style.stdout.trim() || 'nothing'}`, style.code === 0);
  const compose = await run(bin('dclint'), [join(ROOT, 'deploy/compose.yaml')]);
  const errors = compose.stdout.split('\n').filter((line) => / error /.test(line));
  report(`dclint: the schema, ${errors.join('; ') || 'no error'}`, compose.code === 0);
}

async function tryUnit({ folder, run }: Machine): Promise<void> {
  const file = join(folder, 'funnel-gateway.service');
  const socket = join(folder, 'funnel-gateway.socket');
  const unit = await readFile(join(ROOT, 'deploy/funnel-gateway.service'), 'utf8');
  const program = join(ROOT, 'bin/funnel-gateway.js');
  await writeFile(file, unit.replace(/^ExecStart=\S+/m, `ExecStart=${program}`));
  // The instances that share the socket, as docs/scaling.md makes them.
  const instance = join(folder, 'funnel-gateway@.service');
  await writeFile(
    instance,
    (await readFile(file, 'utf8')).replace(/^Restart=/m, 'Sockets=funnel-gateway.socket\n$&'),
  );
  await writeFile(socket, await readFile(join(ROOT, 'deploy/funnel-gateway.socket')));
  const { code, stderr } = await run('systemd-analyze', ['verify', file, instance, socket]);
  report(`systemd-analyze verify ends with ${code} ${stderr}`, code === 0 && stderr === '');
  const security = await run('systemd-analyze', ['security', '--offline=true', '--no-pager', file]);
  const exposure = Number(/exposure level.*: ([\d.]+)/.exec(security.stdout)?.[1]);
  report(`systemd-analyze security: ${exposure} of 10`, exposure <= MAX_EXPOSURE);
}

/** systemd itself opens the socket, at the address of the unit but for its port, and hands it over at the first connection. */
async function trySocket(machine: Machine): Promise<void> {
  const { folder, run, environment } = machine;
  const [, host] =
    /^ListenStream=(.+):4000$/m.exec(await readFile(join(ROOT, 'deploy/funnel-gateway.socket'), 'utf8')) ??
    [];
  const port = await freePort();
  const database = await openEmbedded({ dataDir: join(folder, 'socket-data') });
  const env = { ...environment(), DATABASE_URL: database.url, SECRET_KEY, JOBS: 'off', LOG_LEVEL: 'fatal' };
  const set = Object.entries(env).flatMap(([name, value]) => ['-E', `${name}=${value}`]);
  const program = [process.execPath, join(ROOT, 'bin/funnel-gateway.js'), 'serve', '--demo', '--json'];
  const manager = spawn(
    'systemd-socket-activate',
    ['-l', `${host}:${port}`, ...set, '/bin/sh', '-c', MANAGER, ...program],
    { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(manager, 'close');
  let printed = '';
  manager.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const starts = () => printed.split('"rest"').length - 1;
  const started = async (count: number) => {
    while (starts() < count && manager.exitCode === null) await sleep(50);
  };
  try {
    const origin = `http://${host}:${port}`;
    const answer = await untilListening(() => fetch(`${origin}/readyz`));
    report(
      `systemd-socket-activate: the first connection starts it and is answered ${answer.status}`,
      answer.ok,
    );
    await started(1);
    const { demoKey } = JSON.parse(printed) as { demoKey: string };
    const headers = { Authorization: `Bearer ${demoKey}` };
    const clients = startClients(`${origin}/api/v2/teams`, headers, { keeping: 8, opening: 4 });
    for (let restart = 1; restart <= RESTARTS; restart++) {
      await sleep(500);
      const { stdout: pids } = await run('pgrep', ['-P', String(manager.pid)]);
      for (const pid of pids.trim().split('\n')) process.kill(Number(pid), 'SIGTERM');
      await started(restart + 1);
    }
    await clients.stop();
    const bad = [...clients.failed.map(({ code }) => code), ...clients.refused];
    report(
      `${starts() - 1} restarts under load: ${clients.answered()} answered, ${bad.length} failed ${bad.slice(0, 3).join(', ')}`,
      starts() === RESTARTS + 1 && clients.answered() > 100 && bad.length === 0,
    );
  } finally {
    manager.kill('SIGTERM');
    await ended;
    await database.release();
  }
}

/** The first answer. Until systemd listens, connections are refused. */
async function untilListening(ask: () => Promise<Response>): Promise<Response> {
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries > 100) throw error;
      await sleep(50);
    }
  }
}

async function tryImage(machine: Machine): Promise<void> {
  const { folder, run, environment } = machine;
  const context = join(folder, 'context');
  await run('git', ['clone', '--quiet', ROOT, context]);
  const env = { ...environment(), npm_config_prefer_offline: 'true' };
  const image = await play(await readFile(join(ROOT, 'deploy/Dockerfile'), 'utf8'), {
    context,
    folder: join(folder, 'stages'),
    async run(script, cwd) {
      const { code, stderr } = await run('sh', ['-c', script], { cwd, env });
      report(`RUN ${script} ends with ${code}`, code === 0);
      if (code !== 0) throw new Error(stderr);
    },
  });
  const { stdout: size } = await run('du', ['-sm', image.root]);
  say(`     the image without Node's own: ${Number.parseInt(size, 10)} MB`);
  report(`it runs as ${image.user}`, image.user === 'node');
  await run('chmod', ['-R', 'a-w,a+rX', image.root]);
  await chmod(join(folder, 'stages'), 0o755);

  const dataDir = join(folder, 'image-data');
  const database = await openEmbedded({ dataDir });
  try {
    await serveImage(machine, image, database.url);
  } finally {
    await database.release();
  }
}

/** As an ordinary user, who may write nothing of the image. */
async function serveImage({ start, run, environment }: Machine, image: Image, databaseUrl: string) {
  // The one user who may enter the folder of the database's socket.
  const { host } = new pg.Client({ connectionString: databaseUrl });
  const { uid, gid } = await stat(host);
  const PORT = String(await freePort());
  const env = {
    ...environment(),
    ...image.environment,
    ...{ HOST: '127.0.0.1', PORT, DATABASE_URL: databaseUrl, SECRET_KEY },
  };
  const options = { cwd: join(image.root, image.workdir), env, uid, gid };
  const inside = (word: string) => (word.startsWith('/') ? join(image.root, word) : word);
  const [program = '', ...args] = image.command.map(inside);
  const startedAt = performance.now();
  const server = await start(program, [...args, '--demo'], 'Stop it', options);
  report(`it starts as user ${uid} in a tree that it cannot write`, uid !== 0);
  say(`     the first start, migrations and demo included: ${Math.round(performance.now() - startedAt)} ms`);
  const [check = '', ...checkArgs] = image.healthcheck;
  report('HEALTHCHECK ends with 0', (await run(check, checkArgs, options)).code === 0);
  const page = await fetch(`http://127.0.0.1:${PORT}/graphql`, { headers: { Accept: 'text/html' } });
  report('it has the explorer', (await page.text()).includes('type="module"'));
  const { code } = await server.stop();
  report(`SIGTERM: it ends with ${code}`, code === 0);
  report('HEALTHCHECK then ends with 1', (await run(check, checkArgs, options)).code === 1);
}

async function tryProxy(machine: Machine): Promise<void> {
  const { folder, run, start, environment } = machine;
  const ports = { 80: await freePort(), 443: await freePort(), 4000: await freePort() };
  const dataDir = join(folder, 'proxy-data');
  const env = {
    ...environment(),
    ...{
      PORT: String(ports[4000]),
      DATA_DIR: dataDir,
      SERVICE_HOST: 'gateway.example',
      TRUST_PROXY: '127.0.0.1',
    },
  };
  const server = await start(join(ROOT, 'bin/funnel-gateway.js'), ['serve', '--json'], '\n', {
    cwd: '/',
    env,
  });
  const { demoKey } = JSON.parse(server.printed) as { demoKey: string };
  const proxy = join(folder, 'nginx');
  await mkdir(proxy);
  await writeFile(join(proxy, 'nginx.conf'), await nginxConfiguration(proxy, ports));
  const nginx = ['-p', proxy, '-c', join(proxy, 'nginx.conf')];
  const checked = await run('nginx', ['-t', ...nginx]);
  report(
    `nginx -t takes the guide's configuration ${checked.code === 0 ? '' : checked.stderr}`,
    checked.code === 0,
  );
  await run('nginx', nginx);
  try {
    const ask = async (url: string, ...more: string[]) => {
      const names = ['gateway.example', 'acme.gateway.example', 'nobody.gateway.example'];
      const resolve = names.flatMap((name) =>
        [80, 443].flatMap((port) => ['--resolve', `${name}:${port}:127.0.0.1`]),
      );
      const through = [80, 443].flatMap((port) => ['--connect-to', `::127.0.0.1:${ports[port as 80 | 443]}`]);
      const scheme = url.startsWith('https:') ? through.slice(2) : through.slice(0, 2);
      const { stdout, stderr } = await run('curl', [
        '-si',
        '--cacert',
        join(proxy, 'cert.pem'),
        ...resolve,
        ...scheme,
        ...more,
        url,
      ]);
      return stdout + stderr;
    };
    for (let tries = 0; tries < 50 && (await ask('http://gateway.example/')) === ''; tries++)
      await sleep(100);
    const key = ['-H', `Authorization: Bearer ${demoKey}`];
    report(
      'http leads to https',
      /^HTTP\/1.1 308.*location: https:\/\/gateway\.example\/x/is.test(await ask('http://gateway.example/x')),
    );
    const page = 'https://acme.gateway.example/api/v2/workspaces/1/contacts?per_page=2';
    const contacts = await ask(page, ...key);
    report(
      'a workspace has its subdomain, and links lead back through the proxy',
      /^HTTP\/2 200.*link: <https:\/\/acme\.gateway\.example\/api\/v2/is.test(contacts),
    );
    const forged = await ask(
      page,
      ...key,
      '-H',
      'X-Forwarded-Host: evil.example',
      '-H',
      'X-Forwarded-For: 192.0.2.1',
    );
    report(
      'what a client says of itself does not count',
      /link: <https:\/\/acme\.gateway\.example\//i.test(forged),
    );
    const issuer = await ask('https://gateway.example/.well-known/oauth-authorization-server');
    report(
      'the authorization server is found behind the proxy',
      issuer.includes('"issuer":"https://gateway.example"'),
    );
    report(
      "a host that is nobody's is 421",
      /^HTTP\/2 421/.test(await ask('https://nobody.gateway.example/api/v2/teams', ...key)),
    );
    report(
      'the explorer is served',
      /type="module"/.test(await ask('https://gateway.example/graphql', '-H', 'Accept: text/html')),
    );
  } finally {
    await run('nginx', ['-s', 'quit', ...nginx]);
    await server.stop();
  }
}

/** The guide's file, on loopback ports and with a certificate of its own. */
async function nginxConfiguration(folder: string, ports: Record<80 | 443 | 4000, number>): Promise<string> {
  const [printed] = blocksOf(read('docs/deploying.md')).filter(({ language }) => language === 'nginx');
  if (printed === undefined) throw new Error('docs/deploying.md has no configuration of nginx.');
  const subject = [
    '-subj',
    '/CN=gateway.example',
    '-addext',
    'subjectAltName=DNS:gateway.example,DNS:*.gateway.example',
  ];
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files],
    { stdio: 'ignore' },
  );
  const site = printed.text
    .replace(/listen 80;/, `listen 127.0.0.1:${ports[80]};`)
    .replace(/listen 443 /, `listen 127.0.0.1:${ports[443]} `)
    .replace(/127\.0\.0\.1:4000/, `127.0.0.1:${ports[4000]}`)
    .replace(/(ssl_certificate +)\S+;/, `$1${join(folder, 'cert.pem')};`)
    .replace(/(ssl_certificate_key +)\S+;/, `$1${join(folder, 'key.pem')};`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `pid ${folder}/pid; error_log ${folder}/error.log; events {}
http { access_log off; ${temporary.join(' ')}\n${site}}\n`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return typeof address === 'object' && address ? address.port : 0;
}
