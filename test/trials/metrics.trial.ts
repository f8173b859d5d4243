// A real Prometheus scrapes the gateway, with the alert rules, and answers every query of the dashboard and of the rules.
// It needs `prometheus` and `promtool`, as Debian's package prometheus has them; without them it says so and checks nothing.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startGateway } from './gateway-process.ts';
import { say } from './say.ts';
import { report } from './test-bed.ts';

const RULES = fileURLToPath(new URL('../../deploy/alert-rules.yml', import.meta.url));
const DASHBOARD = fileURLToPath(new URL('../../deploy/grafana-dashboard.json', import.meta.url));
const ROUNDS = 20;

if (spawnSync('promtool', ['--version']).error === undefined) await tryIt();
else say('Skipped: there is no promtool here (Debian: apt-get install prometheus).');

async function tryIt(): Promise<void> {
  promtool('check rules', ['check', 'rules', RULES]);
  const gateway = await startGateway({ METRICS_PORT: '0' });
  const folder = await mkdtemp(join(tmpdir(), 'fg-prometheus-'));
  const port = await freePort();
  const target = new URL(gateway.metrics ?? '').host;
  const file = join(folder, 'prometheus.yml');
  const settings = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [RULES],
    scrape_configs: [{ job_name: 'funnel-gateway', static_configs: [{ targets: [target] }] }],
  };
  // YAML takes JSON.
  await writeFile(file, JSON.stringify(settings));
  const prometheus = spawn(
    'prometheus',
    [`--config.file=${file}`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=127.0.0.1:${port}`],
    { stdio: 'ignore' },
  );

  async function query(
    expr: string,
  ): Promise<{ status: string; data?: { result: { value: [number, string] }[] } }> {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`);
    return answer.json() as ReturnType<typeof query>;
  }
  const numberOf = async (expr: string) => (await query(expr)).data?.result[0]?.value[1];

  try {
    const headers = { Authorization: `Bearer ${gateway.key}`, 'Content-Type': 'application/json' };
    for (let round = 0; round < ROUNDS; round++) {
      await gateway.send('/api/v2/teams', { headers });
      await gateway.send('/api/v2/teams');
      await gateway.send('/graphql', { headers, body: '{"query":"{ viewer { kind } }"}' });
      await sleep(250);
    }
    const text = await (await fetch(gateway.metrics ?? '')).text();
    promtool('check metrics', ['check', 'metrics'], text);
    const total = 'sum(http_requests_total{job="funnel-gateway"})';
    // A rate takes two scrapes.
    const rate = 'sum(rate(http_requests_total{job="funnel-gateway"}[10s]))';
    const isThere = async () =>
      Number(await numberOf(total)) >= 3 * ROUNDS && (await numberOf(rate)) !== undefined;
    for (let tries = 0; tries < 100 && !(await isThere().catch(() => false)); tries++) await sleep(200);
    report(`${total} is ${await numberOf(total)}`, Number(await numberOf(total)) >= 3 * ROUNDS);
    const dashboard = await readFile(DASHBOARD, 'utf8');
    const asked = [...dashboard.matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(([, json = '']) =>
      (JSON.parse(json) as string)
        .replaceAll('$__rate_interval', '10s')
        .replaceAll('$job', '.*')
        .replaceAll('$instance', '.*'),
    );
    // There is none here.
    const ofReplicas = asked.filter((expr) => expr.includes('replica'));
    let shown = 0;
    for (const expr of asked) {
      const { status, data } = await query(expr);
      if (status !== 'success') report(`the dashboard asks ${expr}`, false);
      else if ((data?.result.length ?? 0) > 0) shown += 1;
      else if (!ofReplicas.includes(expr)) say(`no data: ${expr}`);
    }
    const most = asked.length - ofReplicas.length;
    report(
      `${shown} of the dashboard's ${asked.length} queries have data; ${ofReplicas.length} ask about replicas`,
      shown === most,
    );
    const rules = (await (await fetch(`http://127.0.0.1:${port}/api/v1/rules`)).json()) as {
      data: { groups: { rules: { name: string; health: string; state: string }[] }[] };
    };
    const all = rules.data.groups.flatMap((group) => group.rules);
    report(
      `${all.length} rules are evaluated, of which fire: ${
        all
          .filter(({ state }) => state === 'firing')
          .map(({ name }) => name)
          .join(', ') || 'none'
      }`,
      all.length > 0 && all.every(({ health, state }) => health === 'ok' && state !== 'firing'),
    );
  } finally {
    const closed = once(prometheus, 'close');
    prometheus.kill();
    await closed;
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function promtool(what: string, args: readonly string[], input = ''): void {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  report(
    `promtool ${what}: ${`${stdout}${stderr}`.trim().split('\n').at(-1) || 'nothing to say'}`,
    status === 0,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
