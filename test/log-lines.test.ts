// Log lines on their way to whoever reads them (src/output/log.ts): anybody can have lines written, and a reader can hang.
import { Writable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { bufferLines, createLogger } from '../src/output/log.ts';

/** A reader that reads nothing until it is asked to. */
function createReader() {
  const taken: string[] = [];
  const waiting: (() => void)[] = [];
  let hangs = true;
  const output = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      taken.push(text);
      if (hangs) waiting.push(done);
      else done();
    },
  });
  return {
    output,
    text: () => taken.join(''),
    goOn() {
      hangs = false;
      for (const done of waiting.splice(0)) done();
    },
  };
}

test('lines arrive in their order, and within 100 ms', async () => {
  const { output, text, goOn } = createReader();
  goOn();
  const lines = bufferLines(output);
  for (let line = 0; line < 5_000; line++) lines.write(`${line}\n`);
  await vi.waitFor(
    () => expect(text()).toBe(Array.from({ length: 5_000 }, (_, line) => `${line}\n`).join('')),
    60_000,
  );
});

test('a hanging reader gets a bounded buffer, and learns afterwards how much was lost', async () => {
  const { output, text, goOn } = createReader();
  const lines = bufferLines(output);
  const log = createLogger('info', lines);
  for (let line = 0; line < 60; line++) log.info({ line, text: 'x'.repeat(1_000_000) }, 'long');
  expect(output.writableLength).toBeLessThan(20_000_000);
  goOn();
  await vi.waitFor(() => expect(output.writableLength).toBe(0), 60_000);
  log.info({}, 'after');
  lines.flush();
  await vi.waitFor(() => expect(text()).toContain('after'), 60_000);
  const read = text()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string; level: string; lines: number });
  const kept = read.filter(({ msg }) => msg === 'long').length;
  expect(kept).toBeGreaterThan(10);
  expect(read.at(-2)).toMatchObject({
    level: 'warn',
    lines: 60 - kept,
    msg: expect.stringContaining('lost'),
  });
  expect(read.at(-1)?.msg).toBe('after');
});

test('lines that could not be written are reported when writing works again', async () => {
  let taken = '';
  let isFull = true;
  const lines = bufferLines({
    write(text, written) {
      if (!isFull) taken += text;
      written?.(isFull ? new Error('ENOSPC') : null);
    },
  });
  for (const text of ['one\n', 'two\n']) {
    lines.write(text);
    lines.flush();
  }
  isFull = false;
  lines.write('three\n');
  lines.flush();
  expect(taken).toMatch(/^\{"level":"warn","time":"[^"]+","lines":2,"msg":"[^"]*lost[^"]*"\}\nthree\n$/);
});
