// The samples of docs/webhooks.md, as printed, accept what the gateway signs, and nothing else. Samples in a language that this machine
// lacks are skipped.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { signatureHeaders } from '../../src/jobs/delivery/signatures.ts';
import { blocksOf, read } from './markdown.ts';

const SECRET = '5b'.repeat(32);
const OTHER = '6c'.repeat(32);
const BODY = '{"event_type":"contact.created","data":{"name":"Zoë 😀"}}';

interface Sample {
  readonly language: string;
  readonly command: string;
  readonly file: string;
  /** The text that identifies the printed block. */
  readonly has: string;
  /** Reads `{ headers, body, secret }` from standard input, and prints whether it is genuine. */
  readonly driver: string;
}

const NODE_INPUT = `import { readFileSync } from 'node:fs';
const { headers, body, secret } = JSON.parse(readFileSync(0, 'utf8'));
const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));`;

const SAMPLES: readonly Sample[] = [
  {
    ...{ language: 'js', command: process.execPath, file: 'sample.mjs', has: 'isGenuine' },
    driver: `${NODE_INPUT}\nconsole.log(isGenuine(lower, Buffer.from(body), secret));`,
  },
  {
    ...{ language: 'js', command: process.execPath, file: 'standard.mjs', has: 'standardwebhooks' },
    driver: `${NODE_INPUT}
let isGenuine = true;
try { payloadOf(lower, Buffer.from(body), secret); } catch { isGenuine = false; }
console.log(isGenuine);`,
  },
  {
    ...{ language: 'python', command: 'python3', file: 'sample.py', has: 'is_genuine' },
    driver: `import email.message, json, sys
given = json.load(sys.stdin)
headers = email.message.Message()
for name, value in given["headers"].items(): headers[name] = value
print("true" if is_genuine(headers, given["body"].encode(), given["secret"]) else "false")`,
  },
  {
    ...{ language: 'ruby', command: 'ruby', file: 'sample.rb', has: 'genuine?' },
    driver: `require "json"
given = JSON.parse($stdin.read)
env = given["headers"].to_h { |name, value| ["HTTP_" + name.upcase.tr("-", "_"), value.b] }
puts genuine?(env, given["body"].b, given["secret"])`,
  },
  {
    ...{ language: 'php', command: 'php', file: 'sample.php', has: 'is_genuine' },
    driver: `$given = json_decode(file_get_contents('php://stdin'), true);
$server = [];
foreach ($given['headers'] as $name => $value) $server['HTTP_' . strtoupper(strtr($name, '-', '_'))] = $value;
echo is_genuine($server, $given['body'], $given['secret']) ? 'true' : 'false';`,
  },
];

const folder = mkdtempSync(join(tmpdir(), 'webhook-samples-'));
symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(folder, 'node_modules'));
afterAll(() => rmSync(folder, { recursive: true }));

const sampleOf = ({ language, has }: Sample) =>
  blocksOf(read('docs/webhooks.md')).filter(
    (block) => block.language === language && block.text.includes(has),
  );

function headersOf(
  at = new Date(),
  secrets: { current: string; previous: string | null } = { current: SECRET, previous: null },
) {
  return signatureHeaders({ prefix: 'X-Webhook-ClickFunnels', id: '86dd8628', at, body: BODY, secrets });
}

const isThere = (command: string) => spawnSync(command, ['--version']).status === 0;

test('each sample occurs once, and has about ten lines', () => {
  for (const sample of SAMPLES) {
    const found = sampleOf(sample);
    expect(found).toHaveLength(1);
    expect(found[0]?.text.trim().split('\n').length).toBeLessThanOrEqual(11);
  }
});

describe.each(SAMPLES)('$file', (sample) => {
  test.skipIf(!isThere(sample.command))(
    `runs with ${sample.command} and tells genuine deliveries from others`,
    () => {
      const path = join(folder, sample.file);
      writeFileSync(path, `${sampleOf(sample)[0]?.text}\n${sample.driver}\n`);
      const verdict = (headers: Record<string, string>, body = BODY, secret = SECRET) => {
        const input = JSON.stringify({ headers, body, secret });
        const { stdout, stderr } = spawnSync(sample.command, [path], { input, encoding: 'utf8' });
        return stdout.trim() || stderr;
      };
      const old = (seconds: number) => headersOf(new Date(Date.now() - seconds * 1_000));
      const rotating = headersOf(new Date(), { current: OTHER, previous: SECRET });
      expect({
        genuine: verdict(headersOf()),
        aWhileAgo: verdict(old(200)),
        inARotation: verdict(rotating),
        anotherSecret: verdict(headersOf(), BODY, OTHER),
        anotherBody: verdict(headersOf(), `${BODY} `),
        longAgo: verdict(old(700)),
        inTheFuture: verdict(old(-700)),
        withoutHeaders: verdict({}),
        anotherTime: verdict({
          ...headersOf(),
          'X-Webhook-ClickFunnels-Timestamp': '١',
          'webhook-timestamp': 'x',
        }),
        aPartOfIt: verdict({
          ...headersOf(),
          'X-Webhook-ClickFunnels-Signature': 'é',
          'webhook-signature': 'v1,é',
        }),
      }).toEqual({
        ...{ genuine: 'true', aWhileAgo: 'true', inARotation: 'true' },
        ...{ anotherSecret: 'false', anotherBody: 'false', longAgo: 'false', inTheFuture: 'false' },
        ...{ withoutHeaders: 'false', anotherTime: 'false', aPartOfIt: 'false' },
      });
    },
  );
});
