// Help, version and wrong usage. None of it needs a database, or a configuration that is right.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { VARIABLES } from '../../src/config/variables.ts';
import { run, runHere } from './cli.ts';

const BROKEN = { PORT: 'http', DATABASE_URL: 'nonsense' };

const COMMANDS = [
  [],
  ['serve'],
  ['migrate'],
  ['migrate', 'status'],
  ['migrate', 'create'],
  ['seed'],
  ['token'],
  ['token', 'create'],
  ['token', 'list'],
  ['token', 'revoke'],
  ['token', 'rotate'],
  ['user'],
  ['user', 'create'],
  ['user', 'list'],
  ['user', 'set-password'],
  ['user', 'disable'],
  ['user', 'enable'],
  ['user', 'join'],
  ['user', 'leave'],
  ['client'],
  ['client', 'create'],
  ['client', 'list'],
  ['client', 'remove'],
  ['grant'],
  ['grant', 'list'],
  ['grant', 'revoke'],
  ['signing-key'],
  ['signing-key', 'list'],
  ['signing-key', 'rotate'],
  ['signing-key', 'remove'],
  ['schema'],
];

test('every command explains itself, with --json and examples', async () => {
  const results = await Promise.all(COMMANDS.map((command) => runHere([...command, '--help'], BROKEN)));
  results.forEach(({ code, stdout, stderr }, index) => {
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: ${['funnel-gateway', ...(COMMANDS[index] ?? [])].join(' ')}`);
    expect(stdout).toContain('--json');
    expect(stdout).toContain('$ npx funnel-gateway');
  });
  for (const [name] of VARIABLES) expect(results[1]?.stdout).toContain(`  ${name} `);
});

test('help needs no process of ours to be different', async () => {
  const args = ['serve', '--help'];
  expect(await run(args, BROKEN)).toEqual(await runHere(args, BROKEN));
});

test('--version prints the version', async () => {
  expect(await run(['--version'], BROKEN)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});

test.concurrent.each([
  [['tokn'], "unknown command 'tokn'"],
  [['serve', '--prot', '80'], "unknown option '--prot'"],
  [['token', 'create', '--team', '1'], "'--scopes <scopes>' not specified"],
  [['token', 'revoke'], "missing required argument 'id'"],
  [['user', 'create', '--email', 'ada@example.com'], "'--name <name>' not specified"],
  [['user', 'set-password', 'ada@example.com', 'a password of mine'], 'too many arguments'],
  [['client', 'remove'], "missing required argument 'client_id'"],
])('%j is wrong usage: exit code 2, and where help is', async (args, message) => {
  const { code, stdout, stderr } = await run(args, BROKEN);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr).toContain('--help');
});

test('wrong usage with --json is a JSON object', async () => {
  const { code, stderr } = await run(['serve', '--json', '--prot'], BROKEN);
  expect(code).toBe(2);
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'usage' } });
});

test('schema prints the SDL that is committed', async () => {
  const sdl = await readFile(new URL('../../schema.graphql', import.meta.url), 'utf8');
  expect(await run(['schema'], BROKEN)).toEqual({ code: 0, stdout: sdl, stderr: '' });
});
