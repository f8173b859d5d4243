// Which hosts are loopback (src/config/loopback.ts).
import { expect, test } from 'vitest';
import { isLoopbackAddress, isLoopbackHost } from '../../src/config/loopback.ts';

test.each([
  ['localhost', true, false],
  ['127.0.0.1', true, true],
  ['[::1]', true, true],
  ['127.8.9.10', false, true],
  ['localhost.example.com', false, false],
  ['127.0.0.1.example.com', false, false],
  ['128.0.0.1', false, false],
  ['[::2]', false, false],
  ['', false, false],
])('%j', (hostname, isHost, isAddress) => {
  expect([isLoopbackHost(hostname), isLoopbackAddress(hostname)]).toEqual([isHost, isAddress]);
});
