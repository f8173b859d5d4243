// `signing-key` on a PostgreSQL server that DATABASE_URL names.
import { expect, test } from 'vitest';
import { TEST_SECRET_KEY } from '../support/gateway.ts';
import { gatewayForCommands, run, runJson } from './cli.ts';

interface Printed {
  kid: string;
  alg: string;
  status: string;
  active_at: string;
  retired_at: string | null;
}

const joined = await gatewayForCommands();
const env = { ...joined.env, SECRET_KEY: TEST_SECRET_KEY.replaceAll(',', '') };

const list = () => runJson<Printed[]>(['signing-key', 'list'], env);

test('list, rotate and remove: the next key is announced, then signs, and the last one goes', async () => {
  const [first] = await list();
  expect(first).toMatchObject({ alg: 'RS256', status: 'active', retired_at: null });
  const next = await runJson<Printed>(['signing-key', 'rotate'], env);
  expect(next).toMatchObject({ status: 'announced', retired_at: null });
  const { stdout } = await run(['signing-key', 'rotate', '--now'], env);
  expect(stdout).toContain(`Signing key ${next.kid} signs from now on.`);
  await run(['signing-key', 'remove', first?.kid ?? ''], env);
  const { stdout: text } = await run(['signing-key', 'list'], env);
  const [heading = '', line = '', ...rest] = text.trimEnd().split('\n');
  expect([line.split(' ')[0], rest]).toEqual([next.kid, []]);
  expect(line.indexOf('active')).toBe(heading.indexOf('STATUS'));
});

test('a key that is not there cannot be removed', async () => {
  const { code, stderr } = await run(['signing-key', 'remove', 'unknown'], env);
  expect([code, stderr]).toEqual([1, 'Signing key not found.\n']);
});
