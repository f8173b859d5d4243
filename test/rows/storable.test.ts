// Which texts can be stored, compared with what PostgreSQL itself accepts and returns.
import { expect, test } from 'vitest';
import { isStorable } from '../../src/rows/storable.ts';
import { readRows } from '../../src/store/reading/reads.ts';
import { named } from '../../src/store/sql/statements.ts';
import { query, withPrisma } from '../../src/store/store.ts';
import { sharedGateway } from '../support/gateway.ts';
import { TEXTS } from '../support/hostile.ts';

const gateway = await sharedGateway();

/** Whether PostgreSQL returns a value unchanged. */
async function comesBack(type: 'text' | 'jsonb', value: unknown): Promise<boolean> {
  const sent = type === 'jsonb' ? JSON.stringify(value) : value;
  const statement = { name: `echo.${type}`, text: `select $1::${type} as value` };
  const rows = await query<{ value: unknown }>(gateway.app.store, statement, [sent]).catch(() => []);
  return rows.length > 0 && JSON.stringify(rows[0]?.value) === JSON.stringify(value);
}

test.each(TEXTS)('%j is storable if and only if PostgreSQL returns it unchanged', async (text) => {
  expect(isStorable(text)).toBe(await comesBack('text', text));
  for (const value of [text, [text], { a: [{ b: text }] }, { [text]: 1 }])
    expect([value, isStorable(value)]).toEqual([value, await comesBack('jsonb', value)]);
});

test('values without text, and text that contains an escape sequence literally, are storable', () => {
  for (const value of [null, undefined, 0, true, 1n, {}, [], new Date(), '\\u0000', '\\ud800'])
    expect(isStorable(value)).toBe(true);
});

test('a value of any depth is checked', () => {
  const nested = (text: string) =>
    JSON.parse(`${'['.repeat(100_000)}${JSON.stringify(text)}${']'.repeat(100_000)}`);
  expect(isStorable(nested('a'))).toBe(true);
  expect(isStorable(nested('\0'))).toBe(false);
});

test('text that cannot be stored is a client error, also without a check before', async () => {
  const { store } = gateway.app;
  const text = named('text', 'select $value::text');
  const json = { name: 'json', text: 'select $1::jsonb' };
  for (const work of [
    () => query(store, text, ['\0']),
    () => query(store, json, [JSON.stringify('\0')]),
    () => readRows({ store }, text, { value: '\0' }, { teamId: 1n, workspaceIds: null }, { unowned: 'text' }),
    () => withPrisma(store, (prisma) => prisma.team.findFirst({ where: { publicId: '\0' } })),
  ]) {
    await expect(work()).rejects.toMatchObject({ code: 'invalid' });
  }
});
