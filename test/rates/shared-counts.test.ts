// While Redis is unreachable or silent, requests are answered as without it, and each process counts by itself.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createLogger } from '../../src/output/log.ts';
import { createRates, type Rates } from '../../src/rates/rates.ts';
import { noMetrics } from '../../src/telemetry/metrics.ts';

let server: Server | undefined;
let rates: Rates | undefined;
const sockets = new Set<Socket>();
afterEach(async () => {
  await rates?.close();
  for (const socket of sockets) socket.destroy();
  server?.close();
});

async function ratesOver(redisUrl: string): Promise<{ lines: string[]; states: (() => boolean)[] }> {
  const lines: string[] = [];
  const states: (() => boolean)[] = [];
  rates = createRates({
    limits: { windowSeconds: 60, key: 3, client: 3, team: 3, address: 3 },
    redisUrl,
    log: createLogger('info', { write: (line) => lines.push(line) }),
    metrics: {
      ...noMetrics,
      watch: (_kind, _name, read) => void states.push(() => (read() as { isUp: boolean }).isUp),
    },
    nameOf: (key) => `hidden ${key}`,
  });
  await rates.connect();
  return { lines, states };
}

/** A server with the protocol of Redis until it is silenced. @returns what it received */
async function listen(answers: (command: string) => string | null): Promise<{ url: string; sent: string[] }> {
  const sent: string[] = [];
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      for (const command of chunk.toString().split(/(?=\*\d+\r\n\$)/)) {
        sent.push(command);
        const answer = answers(command);
        if (answer !== null) socket.write(answer);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`, sent };
}

const bulk = (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
const INFO = bulk('redis_version:7.0.0\r\nloading:0\r\n');
const take = async (count: number) => {
  const all = [];
  for (let i = 0; i < count; i++) all.push((await rates?.key?.take('somebody', 1))?.accepted);
  return all;
};
const until = async (isTrue: () => boolean) => {
  while (!isTrue()) await new Promise((done) => setImmediate(done));
};

test('the server is down', async () => {
  const { lines, states } = await ratesOver('redis://127.0.0.1:1');
  expect(await take(5)).toEqual([true, true, true, false, false]);
  await until(() => lines.length > 0);
  expect(lines.join('')).toContain('rate limits are counted by each process for itself');
  expect(lines.filter((line) => line.includes('"level":40') || line.includes('warn'))).toHaveLength(1);
  expect(states[0]?.()).toBe(false);
});

test('the server accepts connections and never answers', async () => {
  const { url } = await listen(() => null);
  const { states } = await ratesOver(url);
  expect(await take(5)).toEqual([true, true, true, false, false]);
  expect(states[0]?.()).toBe(false);
});

test('the server stops answering: one request waits for a short time, and no other does', async () => {
  const { url, sent } = await listen((command) =>
    /info/i.test(command) ? INFO : /\beval/i.test(command) ? null : '+OK\r\n',
  );
  const { lines, states } = await ratesOver(url);
  await until(() => states[0]?.() === true);
  expect(await take(5)).toEqual([true, true, true, false, false]);
  expect(sent.filter((command) => /\beval/i.test(command))).toHaveLength(1);
  expect(lines.join('')).toContain('There was no answer within 50 ms.');
});

test('an answer that has arrived when a busy process reads it is in time', async () => {
  const { url } = await listen((command) =>
    /info/i.test(command) ? INFO : /\beval/i.test(command) ? '*2\r\n:4\r\n:60000\r\n' : '+OK\r\n',
  );
  const { states } = await ratesOver(url);
  await until(() => states[0]?.() === true);
  const taken = take(1);
  // Until the command has been sent, and then far beyond the time that it may take.
  await new Promise((done) => setImmediate(done));
  const end = performance.now() + 200;
  while (performance.now() < end);
  expect(await taken).toEqual([false]);
  expect(states[0]?.()).toBe(true);
});

test('each process continues from the shared counts', async () => {
  let isSilent = false;
  const { url } = await listen((command) => {
    if (isSilent) return null;
    return /info/i.test(command) ? INFO : /\beval/i.test(command) ? '*2\r\n:2\r\n:60000\r\n' : '+OK\r\n';
  });
  const { states } = await ratesOver(url);
  await until(() => states[0]?.() === true);
  expect(await take(1)).toEqual([true]);
  isSilent = true;
  expect(await take(3)).toEqual([true, false, false]);
});

test('the server gets no names', async () => {
  const { url, sent } = await listen((command) =>
    /info/i.test(command) ? INFO : /\beval/i.test(command) ? '*2\r\n:1\r\n:60000\r\n' : '+OK\r\n',
  );
  const { states } = await ratesOver(url);
  await until(() => states[0]?.() === true);
  expect(await take(1)).toEqual([true]);
  const asked = sent.find((command) => /\beval/i.test(command)) ?? '';
  expect(asked).toContain('funnel-gateway:rate:key:hidden somebody');
});

test.each(['-OOM command not allowed\r\n', '+OK\r\n', '*2\r\n$-1\r\n:1\r\n'])(
  'it answers %j',
  async (answer) => {
    const { url } = await listen((command) =>
      /info/i.test(command) ? INFO : /\beval/i.test(command) ? answer : '+OK\r\n',
    );
    const { states } = await ratesOver(url);
    await until(() => states[0]?.() === true);
    expect(await take(5)).toEqual([true, true, true, false, false]);
  },
);
