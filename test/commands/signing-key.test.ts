// `signing-key` on a PostgreSQL server that DATABASE_URL names.
import { expect, test } from 'vitest';
import { TEST_SECRET_KEY } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { gatewayForCommands, runHere, runJsonHere } from './cli.ts';

interface Printed {
  kid: string;
  alg: string;
  status: string;
  active_at: string;
  retired_at: string | null;
}

const joined = await gatewayForCommands();
const env = { ...joined.env, SECRET_KEY: TEST_SECRET_KEY.replaceAll(',', '') };

const list = () => runJsonHere<Printed[]>(['signing-key', 'list'], env);

test('rotate announces the next key, which then signs, and remove deletes the last one', async () => {
  const [first] = await list();
  expect(first).toMatchObject({ alg: 'RS256', status: 'active', retired_at: null });
  const next = await runJsonHere<Printed>(['signing-key', 'rotate'], env);
  expect(next).toMatchObject({ status: 'announced', retired_at: null });
  const { stdout } = await runHere(['signing-key', 'rotate', '--now'], env);
  expect(stdout).toContain(`Signing key ${next.kid} signs from now on.`);
  await runHere(['signing-key', 'remove', first?.kid ?? ''], env);
  const { stdout: text } = await runHere(['signing-key', 'list'], env);
  const [heading = '', line = '', ...rest] = text.trimEnd().split('\n');
  expect([line.split(' ')[0], rest]).toEqual([next.kid, []]);
  expect(line.indexOf('active')).toBe(heading.indexOf('STATUS'));
});

test('a key that is not there cannot be removed', async () => {
  const { code, stderr } = await runHere(['signing-key', 'remove', 'unknown'], env);
  expect([code, stderr]).toEqual([1, 'Signing key not found.\n']);
});

test.each([
  ['-MfLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs'],
  ['-VfLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs'],
  ['-hfLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs'],
  ['--fLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs'],
])('a key of an older store whose id looks like an option can be removed: %s', async (id) => {
  const { signingKey } = prismaOf(joined.gateway.app.store);
  const announced = {
    alg: 'RS256',
    publicJwk: {},
    sealedPrivate: new Uint8Array(1),
    createdAt: new Date(),
    activeAt: new Date('2100-01-01'),
  };
  await signingKey.create({ data: { ...announced, id } });
  expect(await runJsonHere(['signing-key', 'remove', id], env)).toEqual({ kid: id, removed: true });
  await signingKey.create({ data: { ...announced, id } });
  expect((await runHere(['--json', 'signing-key', 'remove', '--', id], env)).code).toBe(0);
  expect(await signingKey.count({ where: { id } })).toBe(0);
});

test('an argument that is not a key id is parsed as an option, and an unknown option is refused', async () => {
  const { code, stderr } = await runHere(['signing-key', 'remove', '--nonsense'], env);
  expect([code, stderr]).toEqual([2, expect.stringContaining("unknown option '--nonsense'")]);
});
