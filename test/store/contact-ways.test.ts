// Every row that leads to a contact, at any depth, is erased with it: made-up nouns below a contact, and with a reference to one.
import { expect, test } from 'vitest';
import { contact } from '../../src/resources/contacts.ts';
import { IDS, OF_WORKSPACE } from '../../src/resources/description/common-fields.ts';
import type { Fields } from '../../src/resources/description/fields.ts';
import { describe, type Resource } from '../../src/resources/description/resource.ts';
import type { Noun } from '../../src/resources/nouns.ts';
import { workspace } from '../../src/resources/workspaces.ts';
import { inTransaction } from '../../src/store/connections/executor.ts';
import { erasedRows } from '../../src/store/erasure/erased-rows.ts';
import { contactIdOf } from '../../src/store/sql/contact-ways.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';

const SAID = { type: 'text', description: 'What was said.' } as const;
const said = { ...SAID, nullable: true, personal: true } as const;

function made<const F extends Fields>(type: string, parent: Resource, fields: F) {
  const table = `${type.toLowerCase()}s`;
  return describe({ type, title: type, table, number: 99n, description: `A ${type}.`, parent, fields });
}

const call = made('Call', contact, { ...IDS, ...OF_WORKSPACE, said: SAID });
const remark = made('Remark', call, { ...IDS, said: SAID });
const purchase = made('Purchase', workspace, {
  ...IDS,
  ...OF_WORKSPACE,
  contactId: { type: 'int8', nullable: true, idsOf: contact, description: 'Who ordered.' },
  said,
  total: { type: 'int4', description: 'What it costs.' },
  updatedAt: { type: 'timestamp', description: 'When it was last changed.' },
});
const line = made('Line', purchase, {
  ...IDS,
  said: { ...SAID, personal: true },
  total: purchase.fields.total,
});
const NOUNS = [call, remark, purchase, line] as object[] as Noun[];

const gateway = await ownGateway();
const { app } = gateway;
const workspaceId = (await factories.workspace(app)).id;
const ours = (await factories.contact(app, { workspaceId })).id;
const other = (await factories.contact(app, { workspaceId })).id;
const { pool } = app.store;
const own =
  'workspace_id bigint, id bigint, said text, total integer default 1, row_version integer default 1';
await pool.query(`
  create table calls (${own}, contact_id bigint);
  create table remarks (${own}, call_id bigint);
  create table purchases (${own}, contact_id bigint, updated_at timestamptz default '2026-01-01', personal_since timestamptz);
  create table lines (${own}, purchase_id bigint, personal_since timestamptz default '2026-01-01')`);
for (const [id, of] of [
  [1, ours],
  [2, other],
])
  await pool.query(`
    insert into calls (workspace_id, id, said, contact_id) values (${workspaceId}, ${id}, 'c', ${of});
    insert into remarks (workspace_id, id, said, call_id) values (${workspaceId}, ${id}, 'r', ${id});
    insert into purchases (workspace_id, id, said, contact_id) values (${workspaceId}, ${id}, 'o', ${of});
    insert into lines (workspace_id, id, said, purchase_id) values (${workspaceId}, ${id}, 'l', ${id})`);

test.each(NOUNS)(
  'audit entries and events of a $type belong to the contact that it leads to',
  async (noun) => {
    const { rows } = await gateway.app.store.pool.query<{ id: string }>(
      `select ${contactIdOf(noun)} as id from ${noun.table} t order by t.id`,
    );
    expect(rows.map(({ id }) => BigInt(id))).toEqual([ours, other]);
  },
);

test('rows below a contact are deleted, rows that refer to one lose personal data, and others stay', async () => {
  const erasedAt = new Date().toISOString();
  for (const { find, erase } of erasedRows(NOUNS)) {
    const found = await pool.query<{ id: bigint }>(find, [workspaceId, ours, erasedAt, 10]);
    const ids = found.rows.map(({ id }) => id);
    expect(ids).toHaveLength(1);
    await inTransaction(pool, async (tx) => erase(tx, { workspaceId, contactId: ours, erasedAt }, ids));
    expect((await pool.query(find, [workspaceId, ours, erasedAt, 10])).rows).toEqual([]);
  }
  const left = await Promise.all(
    NOUNS.map(async ({ table }) => {
      const { rows } = await gateway.app.store.pool.query<{ id: string; said: string; total: number }>(
        `select id, said, total from ${table} order by id`,
      );
      return rows.map(({ id, said, total }) => [id, said, total]);
    }),
  );
  expect(left).toEqual([
    [['2', 'c', 1]],
    [['2', 'r', 1]],
    [
      ['1', null, 1],
      ['2', 'o', 1],
    ],
    [
      ['1', '', 1],
      ['2', 'l', 1],
    ],
  ]);
  const { rows } = await gateway.app.store.pool.query<{ changed: boolean; version: number }>(
    `select updated_at > '2026-02-01' as changed, row_version as version from purchases order by id`,
  );
  expect(rows).toEqual([
    { changed: true, version: 2 },
    { changed: false, version: 1 },
  ]);
});
