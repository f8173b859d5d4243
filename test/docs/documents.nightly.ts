// The README and the guides print what really happens: their commands run in a bash against a gateway from `serve`, with its demo.
import { chmod, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { start, temporaryFolder, untilPrinted } from '../commands/cli.ts';
import { documents, read } from './markdown.ts';
import { patternOf } from './printed.ts';
import { follow, type Started } from './reader.ts';
import { stepsOf } from './steps.ts';
import { openTerminal } from './terminal.ts';

const { PATH } = process.env;
const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
/** On a terminal the banner has one more line. */
const AS_ON_A_TERMINAL = '--import=data:text/javascript,process.stdout.isTTY=true';

/** A server of `npm start`, in whose folder a reader works. */
interface Site {
  readonly started: Started;
  readonly env: Record<string, string>;
  readonly folder: string;
  close(): Promise<void>;
}

/** Guides that start with a store other than the demo. */
const SERVE: Readonly<Record<string, readonly string[]>> = { 'docs/first-store.md': ['serve', '--no-demo'] };

let demo: Site;

beforeAll(async () => {
  demo = await openSite(['serve']);
});
afterAll(() => demo?.close());

async function openSite(serve: readonly string[]): Promise<Site> {
  const { path: folder, remove } = await temporaryFolder();
  const dataDir = join(folder, 'data');
  const env = { PATH: `${PROJECT}node_modules/.bin:${PATH}`, DATA_DIR: dataDir, HOME: folder };
  const server = start(serve, { ...env, NODE_OPTIONS: AS_ON_A_TERMINAL });
  const banner = await untilPrinted(server, 'Stop it');
  const [, email = '', password = ''] = /(\S+@\S+) +\(password ([\w-]+)\)/.exec(banner) ?? [];
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(banner)?.[1]);
  return {
    started: { banner, port, dataDir, person: { email, password } },
    env,
    folder,
    async close() {
      server.child.kill('SIGTERM');
      await server.result;
      await remove();
    },
  };
}

// The README's tour is taken twice in the same store.
test.each(['README.md', 'README.md', ...documents.slice(1)])(
  '%s prints what happens',
  async (path) => {
    const serve = SERVE[path];
    const site = serve === undefined ? demo : await openSite(serve);
    const cwd = await mkdtemp(join(site.folder, 'work-'));
    await chmod(cwd, 0o755);
    const terminal = openTerminal(cwd, site.env, `${PROJECT}bin/funnel-gateway.js`);
    try {
      expect(await follow(read(path), terminal, site.started)).toEqual([]);
    } finally {
      await terminal.close();
      if (site !== demo) await site.close();
    }
  },
  180_000,
);

test('a block is a session, or says what it is', () => {
  const printed =
    '<!-- printed by npm start -->\n```\n  Running.\n```\n<!-- not run: why -->\n```sh\nnpm ci\n```\n';
  expect(
    stepsOf(`${printed}\`\`\`\n$ a 'b\nc' # d\ne\n$ f\n\`\`\`\n\`\`\`ts\nconst g = 1;\n\`\`\`\n`),
  ).toEqual([
    { kind: 'start', text: '', printed: '  Running.\n', line: 2 },
    { kind: 'command', text: "a 'b\nc' # d", printed: 'e', line: 9 },
    { kind: 'command', text: 'f', printed: '', line: 9 },
  ]);
  expect(() => stepsOf('```\nnpm ci\n```\n')).toThrow('Line 1');
});

test('printed text is compared exactly, with `…` as a wildcard and random values by their form', () => {
  expect(
    patternOf('{"a":1,…\n"at":"2026-01-01T00:00:00.000Z"}').test(
      '{"a":1,"b":2,"at":"2027-02-03T04:05:06.789Z"}',
    ),
  ).toBe(true);
  expect(patternOf('{"a":1,…}').test('{"a":2,"b":2}')).toBe(false);
  expect(patternOf('fgc_abcd').test('fgc_efgh\n')).toBe(true);
  expect(patternOf('').test('something')).toBe(false);
});
