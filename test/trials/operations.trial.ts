// All 262 operations of the public API: each is called with every member of its body, and what it answers is compared with the facts.
//
// `npm run trial -- operations [--tag=Sales] [--reference=FILE]`; only the tags that begin so. It creates the parents, sends every member
// of a body (also null where it may be absent, and numbers as text), reads every member of an object, changes, deletes, pages each list both
// ways and filters it by each filter. The facts are test/facts/public-operations.md; with --reference they are compared with that file.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { startGateway } from './gateway-process.ts';
import { type Send, walkOperations } from './operations/driver.ts';
import { say } from './say.ts';
import { report } from './test-bed.ts';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { reference: { type: 'string' }, tag: { type: 'string', default: '' } },
});

if (values.reference !== undefined) {
  const facts = await readFile(new URL('../facts/public-operations.md', import.meta.url), 'utf8');
  report('the facts are those of the reference', facts === (await readFile(values.reference, 'utf8')));
}

const gateway = await startGateway({
  RATE_LIMIT_KEY: '0',
  RATE_LIMIT_TEAM: '0',
  RATE_LIMIT_ADDRESS: '0',
  LOG_LEVEL: 'error',
});
gateway.child.stdout?.pipe(process.stderr, { end: false });
let isWanted = true;
gateway.child.on('exit', (code, signal) => {
  if (isWanted) report(`the gateway ended by itself: ${signal ?? code}`, false);
});
const send: Send = async (method, path, body) => {
  const response = await fetch(`${gateway.origin}/api/v2${path}`, {
    method,
    headers: { Authorization: `Bearer ${gateway.key}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, json: parse(text), text, next: response.headers.get('Pagination-Next') };
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

try {
  const results = await walkOperations(send, values.tag, say);
  const whole = [...results.values()].filter((faults) => faults.length === 0).length;
  report(`${whole} of ${results.size} operations`, whole === results.size);
} finally {
  isWanted = false;
  await gateway.stop();
}
