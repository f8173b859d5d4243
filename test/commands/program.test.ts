// Help, version and wrong usage. None of them needs a database, or a valid configuration.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { COMMANDS as COMMAND_LIST } from '../../src/commands/command-list.ts';
import { VARIABLES } from '../../src/config/variables.ts';
import { run, runHere } from './cli.ts';

const BROKEN = { PORT: 'http', DATABASE_URL: 'nonsense' };

const COMMANDS = [
  [],
  ['serve'],
  ['work'],
  ['migrate'],
  ['migrate', 'status'],
  ['migrate', 'create'],
  ['seed'],
  ['team'],
  ['team', 'create'],
  ['team', 'list'],
  ['workspace'],
  ['workspace', 'create'],
  ['workspace', 'list'],
  ['workspace', 'domain'],
  ['workspace', 'domain', 'add'],
  ['workspace', 'domain', 'list'],
  ['workspace', 'domain', 'remove'],
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
  ['webhook'],
  ['webhook', 'listen'],
  ['signing-key'],
  ['signing-key', 'list'],
  ['signing-key', 'rotate'],
  ['signing-key', 'remove'],
  ['schema'],
  ['help'],
];

test('every command explains itself, with --json and examples', async () => {
  const results = await Promise.all(COMMANDS.map((command) => runHere([...command, '--help'], BROKEN)));
  results.forEach(({ code, stdout, stderr }, index) => {
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: ${['funnel-gateway', ...(COMMANDS[index] ?? [])].join(' ')}`);
    expect(stdout).toContain('--json');
    expect(stdout).toContain('$ npx funnel-gateway');
  });
  for (const name of Object.keys(VARIABLES)) expect(results[1]?.stdout).toContain(`  ${name} `);
});

test('help is the same from the installed command and in this process, with an invalid configuration', async () => {
  const args = ['serve', '--help'];
  expect(await run(args, BROKEN)).toEqual(await runHere(args, BROKEN));
});

test.each([
  [['help'], ['--help']],
  [
    ['help', 'token'],
    ['token', '--help'],
  ],
  [
    ['help', 'token', 'create'],
    ['token', 'create', '--help'],
  ],
  [
    ['token', 'help', 'create'],
    ['token', 'create', '--help'],
  ],
])('%j prints what %j prints', async (args, same) => {
  expect(await runHere(args, BROKEN)).toEqual(await runHere(same, BROKEN));
});

test('the main help is the list of the commands', async () => {
  const { stdout } = await runHere(['--help'], BROKEN);
  for (const { name, description } of COMMAND_LIST)
    expect(stdout).toMatch(new RegExp(`^  ${name} .*${description.slice(0, 20)}`, 'm'));
});

test('--version prints the version', async () => {
  expect(await run(['--version'], BROKEN)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+(-dev)?\n$/),
  });
});

test.concurrent.each([
  [['tokn'], "unknown command 'tokn'", ''],
  [['help', 'tokn'], "unknown command 'tokn'", ''],
  [['tokn', '--help'], "unknown command 'tokn'\n(Did you mean token?)", ''],
  [['token', 'creat', '-h'], "unknown command 'creat'\n(Did you mean create?)", 'token '],
  [['migrate', 'statu', '--help'], 'too many arguments', 'migrate '],
  [['help', 'token', 'creat'], "unknown command 'creat'", 'token '],
  [['serve', '--prot', '80'], "unknown option '--prot'", 'serve '],
  [['token'], 'A command is missing', 'token '],
  [['token', 'creat'], "unknown command 'creat'", 'token '],
  [['token', 'create', '--team', '1'], "'--scopes <scopes>' not specified", 'token create '],
  [['token', 'revoke'], "missing required argument 'id'", 'token revoke '],
  [['token', 'revoke', '3', '4'], 'too many arguments', 'token revoke '],
  [['user', 'create', '--email', 'ada@example.com'], "'--name <name>' not specified", 'user create '],
  [['user', 'set-password', 'ada@example.com', 'a password'], 'too many arguments', 'user set-password '],
  [['webhook', 'listen', '--port', 'x'], 'whole number from 0 to 65535', 'webhook listen '],
  [['webhook', 'listen', '--status', '99'], 'whole number from 200 to 599', 'webhook listen '],
  [['client', 'remove'], "missing required argument 'client_id'", 'client remove '],
])('%j is wrong usage: exit code 2, and where its help is', async (args, message, command) => {
  const { code, stdout, stderr } = await runHere(args, BROKEN);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr).toContain(`See "funnel-gateway ${command}--help".`);
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
