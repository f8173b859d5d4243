// `seed`: demo data for an empty store, and large numbers of contacts or orders for load tests.
import { AppError, invalid } from '../errors.ts';
import { requireId } from '../services/operator/refs.ts';
import type { BulkOptions } from '../store/seed/bulk.ts';
import { insertManyContacts } from '../store/seed/contacts.ts';
import { insertManyOrders } from '../store/seed/orders.ts';
import { findFirstWorkspaceId } from '../store/seed/workspaces.ts';
import { type OpenDatabase, withTables } from './database.ts';
import { seed } from './demo.ts';
import { untilInterrupted } from './interruption.ts';
import { createProgress } from './progress.ts';
import { type Program, printRemark, report, type Shell } from './shell.ts';

const MAX_COUNT = 100_000_000;

/** The functions that insert many rows, by the name of the option. */
const KINDS = { contacts: insertManyContacts, orders: insertManyOrders };
type Kind = keyof typeof KINDS;
const EXAMPLES = `
Examples:
  $ npx funnel-gateway seed
  $ npx funnel-gateway seed --contacts 1000000
  $ npx funnel-gateway seed --contacts 500 --workspace 2
  $ npx funnel-gateway seed --orders 100000

Demo data goes only into a store that has no team. Contacts and orders go into the first workspace unless another is
named. The addresses of contacts are all under example.com. Orders are spread over a year; contacts and products that
they need are added with them.`;

/** Adds the command. */
export function addSeed(program: Program, shell: Shell): void {
  program
    .command('seed')
    .option('--contacts <number>', 'how many contacts to add')
    .option('--orders <number>', 'how many orders to add, with the products and contacts that they need')
    .option('--workspace <id>', 'the workspace to add them to, by id or public id')
    .addHelpText('after', EXAMPLES)
    .action(async ({ contacts, orders, workspace }) => {
      if (contacts !== undefined && orders !== undefined)
        throw invalid('orders', {
          code: 'not_allowed',
          message: 'Give --contacts or --orders, one at a time.',
        });
      const kind: Kind = orders === undefined ? 'contacts' : 'orders';
      const given = contacts ?? orders;
      if (given === undefined && workspace !== undefined)
        throw invalid('workspace', {
          code: 'not_allowed',
          message: 'Give --workspace together with --contacts or --orders.',
        });
      const count = given === undefined ? null : parseCount(kind, given);
      await withTables(
        shell,
        (database) =>
          count === null ? seedAlone(database, shell) : seedMany(database, shell, kind, count, workspace),
        { stopsItself: count !== null },
      );
    });
}

async function seedAlone(database: OpenDatabase, shell: Shell): Promise<void> {
  const seeded = await seed(database);
  if (seeded === null) {
    report(shell, { seeded: false }, 'The store holds a team already: nothing was added.');
    return;
  }
  const { teamIds, workspaceIds, contacts, demoKey, person } = seeded;
  const data = {
    seeded: true,
    demoKey,
    ...(person !== null && { demoEmail: person.email, demoPassword: person.password }),
    teams: teamIds,
    workspaces: workspaceIds,
    contacts,
  };
  const signIn = person === null ? '' : `\nSign in as ${person.email}, password: ${person.password}`;
  const text = `Added ${teamIds.length} teams, ${workspaceIds.length} workspaces and ${contacts} contacts.\nDemo key: ${demoKey}${signIn}`;
  report(shell, data, text);
}

async function seedMany(
  database: OpenDatabase,
  shell: Shell,
  kind: Kind,
  count: number,
  workspace: string | undefined,
): Promise<void> {
  const { app } = database;
  const demo = await untilInterrupted(shell, app, () => seed(database));
  if (demo !== null)
    printRemark(shell, `The store was empty: added the demo data. Demo key: ${demo.demoKey}`);
  const named = workspace ?? (await findFirstWorkspaceId(app.store, null)) ?? '';
  const workspaceId = await requireId(app, 'workspaces', named);
  const progress = createProgress(shell, count, kind);
  const startedAt = performance.now();
  const options: BulkOptions = {
    workspaceId,
    count,
    now: app.clock(),
    signal: shell.signal,
    onProgress: progress.add,
  };
  const added = await KINDS[kind](app.store.pool, options).finally(progress.stop);
  if (added < count) {
    throw new AppError(
      'unavailable',
      `Interrupted: ${added.toLocaleString('en')} of ${count.toLocaleString('en')} ${kind} were added to workspace ${workspaceId}, and are kept.`,
    );
  }
  const seconds = (performance.now() - startedAt) / 1000;
  report(
    shell,
    {
      seeded: demo !== null,
      [kind]: added,
      workspace_id: workspaceId,
      seconds: +seconds.toFixed(1),
    },
    `Added ${added.toLocaleString('en')} ${kind} to workspace ${workspaceId} in ${seconds.toFixed(1)} seconds.`,
  );
}

function parseCount(kind: Kind, text: string): number {
  const count = /^\d{1,3}(_?\d{3})*$|^\d{1,9}$/.test(text) ? Number(text.replaceAll('_', '')) : 0;
  if (count < 1 || count > MAX_COUNT)
    throw invalid(kind, {
      code: 'out_of_range',
      message: `The value of --${kind} must be a whole number from 1 to ${MAX_COUNT.toLocaleString('en')}.`,
    });
  return count;
}
