// The rights that a database user needs for a complete backup.
import { afterAll, expect, test } from 'vitest';
import { withSnapshot } from '../../src/store/backup/dump.ts';
import { ownGateway } from '../support/gateway.ts';
import { createUser } from '../support/users.ts';

const { pool } = (await ownGateway()).app.store;
const sql = (text: string) => pool.query(text);
const {
  url,
  user: role,
  drop,
} = await createUser(
  pool.options.connectionString ?? '',
  (name) => `grant usage on schema public to ${name}; grant select on all tables in schema public to ${name};
    grant select on all sequences in schema public to ${name}`,
);
afterAll(drop);

/** The value of each sequence, as in a backup. */
async function sequences() {
  return withSnapshot(url, new AbortController().signal, async (snapshot) => snapshot.sequences);
}

test('the backup has the present value of each readable sequence', async () => {
  await sql(`select setval('contacts_id_seq', 4711)`);
  expect(await sequences()).toContainEqual({ name: 'contacts_id_seq', value: '4711', called: true });
  await sql(
    `revoke all on sequence contacts_id_seq from ${role}; grant usage on sequence contacts_id_seq to ${role}`,
  );
  expect(await sequences()).toContainEqual({ name: 'contacts_id_seq', value: '4711', called: true });
});

test('an unreadable sequence prevents the backup, because it would restart after a restore', async () => {
  await sql(`revoke all on sequence contacts_id_seq, funnels_id_seq from ${role}`);
  await expect(sequences()).rejects.toThrow(
    'The database user may not read the sequences contacts_id_seq, funnels_id_seq',
  );
});
