// The metrics of several processes, as those of one.
import { expect, test } from 'vitest';
import { createMetricsSum } from '../../src/telemetry/metrics-sum.ts';
import { createPrometheus } from '../../src/telemetry/prometheus.ts';

/** A process that has answered so many requests, with so many under way. */
function createProcess(requests: number, underWay: number) {
  const metrics = createPrometheus();
  const endpoint = { route: '/api/v2/teams', operation: 'listTeams' };
  for (let i = 0; i < requests; i++)
    metrics.countRequest({ method: 'GET', endpoint, status: 200, durationSeconds: 0.002, code: null });
  metrics.watch('load', '', () => ({ underWay, limit: 100, shed: 0 }));
  metrics.watch('lists', 'own', () => ({ seconds: 20 + underWay, rows: 1 }));
  return metrics;
}

const numberOf = (text: string, name: string) =>
  Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(text)?.[1]);

test('counts and gauges are added; what holds lists up is the same for all', async () => {
  const sum = createMetricsSum();
  sum.update(1, await createProcess(3, 5).snapshot());
  sum.update(2, await createProcess(4, 7).snapshot());
  const text = await sum.render();
  expect(numberOf(text, 'http_requests_total')).toBe(7);
  expect(numberOf(text, 'http_request_duration_seconds_count')).toBe(7);
  expect(numberOf(text, 'gateway_requests_under_way')).toBe(12);
  expect(numberOf(text, 'gateway_requests_limit')).toBe(200);
  expect(text).toContain('gateway_lists_held_seconds{holder="own"} 27');
});

test('a count never falls when processes end, however many; their gauges go', async () => {
  const sum = createMetricsSum();
  for (let process = 1; process <= 4; process++) {
    sum.update(process, await createProcess(2, 1).snapshot());
    expect(numberOf(await sum.render(), 'http_requests_total')).toBe(2 * process);
    sum.ended(process);
    const text = await sum.render();
    expect(numberOf(text, 'http_requests_total')).toBe(2 * process);
    expect(text).not.toContain('\ngateway_requests_under_way ');
  }
});

test('a count never falls either where several ask at once, and a process ends meanwhile', async () => {
  const sum = createMetricsSum();
  for (const process of [1, 2, 3]) sum.update(process, await createProcess(2, 1).snapshot());
  sum.ended(1);
  sum.ended(2);
  const asked = [sum.render(), sum.render()];
  sum.ended(3);
  const texts = await Promise.all([...asked, sum.render(), sum.render()]);
  expect(texts.map((text) => numberOf(text, 'http_requests_total'))).toEqual([6, 6, 6, 6]);
});

test('every name is that of a gateway of one process, but for the start of it', async () => {
  const alone = createProcess(1, 1);
  const sum = createMetricsSum();
  sum.update(1, await alone.snapshot());
  const namesIn = (text: string) => [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
  const names = namesIn(await alone.render()).filter((name) => name !== 'process_start_time_seconds');
  expect(namesIn(await sum.render()).sort()).toEqual(names.sort());
});

test('a process whose numbers cannot be added, as those of another version, takes nothing of the others with it', async () => {
  const sum = createMetricsSum();
  sum.update(1, await createProcess(3, 1).snapshot());
  const strange = [
    { name: 'http_requests_total', type: 'counter', aggregator: 'another', values: [] },
    { name: 'strange_total', type: 'counter', aggregator: 'another', values: [{ value: 1, labels: {} }] },
    null,
  ];
  for (const process of [2, 3]) sum.update(process, strange);
  sum.ended(2);
  expect(numberOf(await sum.render(), 'http_requests_total')).toBe(3);
  sum.ended(3);
  sum.ended(1);
  expect(numberOf(await sum.render(), 'http_requests_total')).toBe(3);
});
