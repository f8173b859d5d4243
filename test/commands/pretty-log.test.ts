// Log lines on a terminal: readable, and no request can send control sequences to the terminal.
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { linesFor } from '../../src/commands/pretty-log.ts';
import { createLogger, type Logger } from '../../src/output/log.ts';

/** The output of `write` on a terminal, or elsewhere. */
function written(isTTY: boolean, write: (log: Logger) => void): string {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY, getColorDepth: () => 1 });
  write(createLogger('info', linesFor(stream)));
  return stream.read() ?? '';
}

const REQUEST = {
  requestId: 'r-1',
  method: 'GET',
  host: 'localhost',
  path: '/api/v2/teams',
  status: 401,
  durationMs: 1.5,
  code: 'unauthenticated',
  reason: 'API key expired.',
};

test('a terminal gets one readable line for each request', () => {
  expect(written(true, (log) => log.info(REQUEST, 'request'))).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} info {2}GET \/api\/v2\/teams 401 1\.5 ms requestId=r-1 code=unauthenticated reason="API key expired\."\n$/,
  );
});

test('any other output gets JSON', () => {
  expect(JSON.parse(written(false, (log) => log.info(REQUEST, 'request')))).toMatchObject(REQUEST);
});

test('an error has its stack, one frame a line', () => {
  const text = written(true, (log) => log.error({ err: new Error('no luck') }, 'it failed'));
  expect(text).toMatch(/ error it failed\s+Error: no luck\n {4} +at /);
});

test('no request can send control sequences to the terminal', () => {
  const evil = 'a\u001b]0;title\u0007\u001b[2J\u009b31m\u202e\r\nx';
  const text = written(true, (log) => {
    log.info({ ...REQUEST, path: evil, method: evil, reason: evil, operationName: evil }, 'request');
    log.error({ err: new Error(evil), [evil]: 1 }, evil);
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  expect(text).toContain('\\u001b');
});
