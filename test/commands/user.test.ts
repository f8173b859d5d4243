// `user` on a PostgreSQL server that DATABASE_URL names.
import { expect, test } from 'vitest';
import { signIn } from '../../src/services/sign-in/sign-in.ts';
import * as factories from '../support/factories.ts';
import { gatewayForCommands, run, runHere, runJsonHere } from './cli.ts';

const { gateway, env, team } = await gatewayForCommands();

interface Printed {
  id: number;
  email: string;
  password?: string;
}

/** Whether these let in. */
const letsIn = (email: string, password = '') =>
  signIn(gateway.app, { email, password, address: undefined }).then(
    () => true,
    () => false,
  );
const create = (email: string, ...args: string[]) => [
  ...['user', 'create', '--email', email, '--name', 'Ada'],
  ...args,
];

test('a generated password is printed once and works; a person is in the given teams', async () => {
  const other = await factories.team(gateway.app);
  const teams = ['--team', team.publicId, '--team', String(other.id), '--role', 'owner'];
  const made = await runJsonHere<Printed>(create('ada@example.com', ...teams), env);
  expect(made).toMatchObject({
    email: 'ada@example.com',
    name: 'Ada',
    status: 'active',
    teams: [
      { team_id: Number(team.id), role: 'owner' },
      { team_id: Number(other.id), role: 'owner' },
    ],
  });
  expect(made.password).toMatch(/^(\w{5}-){3}\w{5}$/);
  expect(await letsIn(made.email, made.password)).toBe(true);
  const { stdout } = await runHere(['user', 'list', '--team', String(team.id), '--json'], env);
  expect(stdout).not.toContain(made.password);
  expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ id: made.id })]);
});

test('a password can come from standard input: its first line, whatever the bytes; it is not printed', async () => {
  const password = 'p\u00e4ssw\u00f6rd \u{1F511} of mine';
  const args = create('stdin@example.com', '--password-stdin');
  const { code, stdout } = await run(args, env, '/', `${password}\r\nanother line\n`);
  expect(code).toBe(0);
  expect(stdout).not.toContain(password);
  expect(await letsIn('stdin@example.com', password)).toBe(true);
});

test.concurrent.each([
  [['create', '--email', 'ada', '--name', 'Ada'], '', 'e-mail address'],
  [
    ['create', '--email', 'x@example.com', '--name', 'X', '--password-stdin'],
    'short',
    '12 to 200 characters',
  ],
  [
    ['create', '--email', 'x@example.com', '--name', 'X', '--password-stdin'],
    '',
    'no password on standard input',
  ],
  [
    ['create', '--email', 'x@example.com', '--name', 'X', '--team', '1', '--role', 'king'],
    '',
    'owner, admin, member',
  ],
  [['create', '--email', 'x@example.com', '--name', 'X', '--team', '999'], '', 'Team not found'],
  [['disable', 'nobody@example.com'], '', 'User not found'],
])('user %j with %j on standard input is refused with a sentence', async (args, input, message) => {
  const { code, stdout, stderr } = await runHere(['user', ...args], env, input);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(message);
});
