// temporary: both sides in turn
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type GatewayProcess, settle, startGateway, startProbe } from './gateway-process.ts';
const [rounds = '6', secs = '2', ...sides] = process.argv.slice(2);
const PATH = '/api/v2/workspaces/1/contacts?per_page=20';
async function load(g: GatewayProcess, kind: string, lines: number, rate: number): Promise<any> {
  const program = fileURLToPath(new URL('open-loop.ts', import.meta.url));
  const child = spawn(process.execPath, [program, new URL(g.origin).port, kind, lines, secs, rate, PATH, g.key].map(String), { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (m: string) => { text += m; });
  await once(child, 'close');
  return JSON.parse(text);
}
async function cpu(pid: number | undefined) {
  const [, f = ''] = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ');
  const [u = 0, s = 0] = f.split(' ').slice(11, 13).map(Number);
  return (u + s) / 100;
}
const gs: any[] = [];
for (const s of sides) { const [dir, ...env] = s.split(','); const g = await startGateway({ JOBS: 'off', ...Object.fromEntries(env.map((e) => e.split('='))) }, dir + '/'); gs.push({ s, g, probe: await startProbe(`${g.origin}/healthz`), peak: [], over: [], eff: [], ratio: [], health: [], shed: [], late: [] }); await load(g, 'closed', 64, 0); }
for (let r = 0; r < Number(rounds); r++) for (const x of r % 2 ? gs.toReversed() : gs) {
  const c0 = await cpu(x.g.child.pid); const peak = await load(x.g, 'closed', 64, 0); const c1 = await cpu(x.g.child.pid);
  await settle(300); await x.probe.worst(); const c2 = await cpu(x.g.child.pid);
  const over = await load(x.g, 'open', 2000, Math.max(20000, (peak.good / peak.seconds) * 10)); const c3 = await cpu(x.g.child.pid);
  x.health.push(Math.round(await x.probe.worst()));
  const pe = peak.good / (c1 - c0), oe = over.good / (c3 - c2);
  (x.us ??= []).push(Math.round(1e6 * (c1 - c0) / peak.good));
  x.peak.push(Math.round(peak.good / peak.seconds)); x.over.push(Math.round(over.good / over.seconds)); x.eff.push(Math.round(100 * oe / pe)); x.ratio.push(Math.round(100 * over.good / over.seconds / (peak.good / peak.seconds)));
  x.shed.push(Math.round(over.shed / over.seconds)); x.late.push(Math.round(over.late / over.seconds)); (x.p50 ??= []).push(Math.round(over.p50)); (x.p99 ??= []).push(Math.round(over.p99));
  await settle(700);
}
const med = (a: number[]) => a.toSorted((p, q) => p - q)[Math.floor(a.length / 2)];
for (const x of gs) { console.log(x.s, 'EFF', med(x.eff), 'RATIO', med(x.ratio), 'US', med(x.us), 'HEALTH', med(x.health), Math.max(...x.health)); for (const k of ['peak', 'over', 'ratio', 'eff', 'health', 'shed', 'late', 'p50', 'p99', 'us']) console.log('  ', k, x[k].join(' ')); await x.probe.stop(); await x.g.stop(); }
