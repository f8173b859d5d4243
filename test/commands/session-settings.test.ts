// Dates do not depend on the settings of the server: `migrate` sets those of its role, other commands refuse to run with others.
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createGateway, openGateway } from '../support/gateway.ts';
import { openTill } from '../support/orders/money.ts';
import { offer } from '../support/orders/shop.ts';
import { databaseUrlOf, runHere, runJsonHere } from './cli.ts';

/** A database whose server would show dates in another way, with a name that has to be quoted. */
async function otherDatabase(setting: string) {
  const gateway = await createGateway();
  onTestFinished(() => gateway.close());
  const env = { DATABASE_URL: databaseUrlOf(gateway) };
  const { database } = new pg.Client({ connectionString: env.DATABASE_URL });
  await gateway.app.store.pool.query(`alter database ${database} set ${setting}`);
  return { gateway, env, database };
}

const settings = ["timezone = 'America/New_York'", "datestyle = 'German, DMY'", "timezone = 'Asia/Kolkata'"];

test.each(settings)(
  'with %s commands refuse and print the lines to run; `migrate` sets it for the role',
  async (setting) => {
    const { env, database } = await otherDatabase(setting);
    const refused = await runHere(['token', 'list'], env);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(
      `alter role funnel_gateway in database ${database} set timezone = 'UTC';`,
    );
    expect(refused.stderr).toContain(
      `alter role funnel_gateway in database ${database} set datestyle = 'ISO';`,
    );
    const found = async () =>
      (await runHere(['doctor', '--json'], env)).stdout.match(/\{[^{}]*"time zone"[^{}]*\}/)?.[0];
    expect(await found()).toContain('"fail"');
    expect(await runHere(['migrate'], env)).toMatchObject({ code: 0 });
    expect(await found()).toContain('"ok"');
    expect(await runJsonHere(['token', 'list'], env)).toEqual([]);
    expect((await runHere(['migrate'], env)).stdout).toBe('The database is up to date.\n');
  },
);

test('the printed lines are enough', async () => {
  const { env } = await otherDatabase(settings[1] ?? '');
  const { stderr } = await runHere(['token', 'list'], env);
  const client = new pg.Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  await client.query(stderr.slice(stderr.indexOf('alter role')));
  await client.end();
  expect(await runJsonHere(['token', 'list'], env)).toEqual([]);
});

test('periods of subscriptions are the same in a session of another time zone', async () => {
  const { env } = await otherDatabase("timezone = 'America/New_York'");
  const gateway = openGateway({ databaseUrl: env.DATABASE_URL });
  onTestFinished(() => gateway.close());
  const till = await openTill(gateway);
  const { pool } = gateway.app.store;
  // From any day, one of these goes over a change to or from summer time.
  for (const months of [3, 6, 9]) {
    const plan = await offer(gateway.app, till.client.workspaceId, { paymentType: 'subscription' });
    await pool.query('update product_prices set interval_count = $2 where id = $1', [plan.priceId, months]);
    const { id } = await till.order([[plan, 1]], { order_type: 'subscription-order' });
    const { rows } = await pool.query(
      `select next_charge_at - (created_at at time zone 'UTC' + make_interval(months => $2)) at time zone 'UTC'
         between '-1 second' and '1 second' as same from orders where id = $1`,
      [id, months],
    );
    expect(rows).toEqual([{ same: true }]);
  }
});
