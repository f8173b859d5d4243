// The demo's signed-in link as `serve` prints it: on a terminal, and nowhere else.
import { once } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { runProgram } from '../../src/commands/program.ts';
import { parseConfig } from '../../src/config/config.ts';
import { createGateway } from '../support/gateway.ts';
import { databaseUrlOf, runJsonHere, temporaryFolder } from './cli.ts';

const gateway = await createGateway();
const folder = await temporaryFolder();
const env = { DATABASE_URL: databaseUrlOf(gateway), DATA_DIR: folder.path, LOG_LEVEL: 'error', PORT: '0' };
const { demoKey } = await runJsonHere<{ demoKey: string }>(['seed'], env);
afterAll(async () => {
  await gateway.close();
  await folder.remove();
});

/** Runs `serve` in this process until `work` is done with what it has printed. */
async function whileServing(
  args: string[],
  isTTY: boolean,
  work: (printed: string) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const stdout = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY });
  const shell = {
    stdin: () => Readable.from([]),
    stdout,
    stderr: new Writable({ write: (_text, _encoding, done) => done() }),
    pid: process.pid,
    version: '0.0.0',
    signal: stop.signal,
    onUnhandled: () => () => {},
    exit: () => {},
    settings: () => parseConfig(env, '/'),
  };
  const running = runProgram(['serve', ...args], shell, () => false);
  const [printed] = (await once(stdout, 'data')) as [string];
  await work(printed).finally(() => stop.abort());
  expect(await running).toBe(0);
}

test('on a terminal the code of the link gives the demo key once, to a page of the printed address', async () => {
  await whileServing([], true, async (printed) => {
    const [, origin, code] = /(http:\/\/\S+)\/graphql#demo=([\w-]{43})\n/.exec(printed) ?? [];
    expect(printed).toContain('once, within 5 minutes');
    const redeem = () =>
      fetch(`${origin}/graphiql/demo-key`, {
        method: 'POST',
        headers: { origin: origin ?? '', 'content-type': 'application/json' },
        body: JSON.stringify({ code }),
      });
    expect(await (await redeem()).json()).toEqual({ key: demoKey });
    expect((await redeem()).status).toBe(404);
  });
});

test.each([
  ['into a pipe', [], false],
  ['for scripts', ['--json'], true],
])('%s none is printed, and nothing is behind it', async (_, args, isTTY) => {
  await whileServing(args, isTTY, async (printed) => {
    expect(printed).not.toMatch(/#demo=/);
    const [origin] = /http:\/\/127[\d.:]+/.exec(printed) ?? [];
    const response = await fetch(`${origin}/graphiql/demo-key`, {
      method: 'POST',
      headers: { origin: origin ?? '', 'content-type': 'application/json' },
      body: '{"code":""}',
    });
    expect(await response.json()).toMatchObject({
      detail: expect.stringMatching(/^Nothing is served at this path\./),
    });
  });
});
