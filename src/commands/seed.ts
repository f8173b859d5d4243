// `seed`: demo data for an empty store, and large numbers of contacts for load tests.
import { AppError, invalid } from '../errors.ts';
import { toInteger } from '../rows/json.ts';
import { requireWorkspaceId } from '../services/operator/refs.ts';
import { insertManyContacts } from '../store/seed/contacts.ts';
import { findFirstWorkspaceId } from '../store/seed/workspaces.ts';
import { type OpenDatabase, withTables } from './database.ts';
import { seed } from './demo.ts';
import { untilInterrupted } from './interruption.ts';
import { createProgress } from './progress.ts';
import { type Program, remark, report, type Shell } from './shell.ts';

const MAX_CONTACTS = 100_000_000;
const EXAMPLES = `
Examples:
  $ npx funnel-gateway seed
  $ npx funnel-gateway seed --contacts 1000000
  $ npx funnel-gateway seed --contacts 500 --workspace 2

Demo data goes only into a store that has no team. Contacts go into the first workspace unless another is named;
their addresses are all under example.com.`;

/** Adds the command. */
export function addSeed(program: Program, shell: Shell): void {
  program
    .command('seed')
    .option('--contacts <number>', 'how many contacts to add')
    .option('--workspace <id>', 'the workspace to add them to, by id or public id')
    .addHelpText('after', EXAMPLES)
    .action(async ({ contacts, workspace }) => {
      if (contacts === undefined && workspace !== undefined)
        throw invalid('workspace', '--workspace goes with --contacts.');
      const count = contacts === undefined ? null : parseCount(contacts);
      await withTables(
        shell,
        (database) =>
          count === null ? seedAlone(database, shell) : seedContacts(database, shell, count, workspace),
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
    teams: teamIds.map(toInteger),
    workspaces: workspaceIds.map(toInteger),
    contacts,
  };
  const signIn = person === null ? '' : `\nSign in as ${person.email}, password: ${person.password}`;
  const text = `Added ${teamIds.length} teams, ${workspaceIds.length} workspaces and ${contacts} contacts.\nDemo key: ${demoKey}${signIn}`;
  report(shell, data, text);
}

async function seedContacts(
  database: OpenDatabase,
  shell: Shell,
  count: number,
  workspace: string | undefined,
): Promise<void> {
  const { app } = database;
  const demo = await untilInterrupted(shell, app, () => seed(database));
  if (demo !== null) remark(shell, `The store was empty: added the demo data. Demo key: ${demo.demoKey}`);
  const named = workspace ?? (await findFirstWorkspaceId(app.store, null)) ?? '';
  const workspaceId = await requireWorkspaceId(app, named);
  const progress = createProgress(shell, count, 'contacts');
  const startedAt = performance.now();
  const added = await insertManyContacts(app.store.pool, {
    workspaceId,
    count,
    now: app.clock(),
    signal: shell.signal,
    onProgress: progress.add,
  }).finally(progress.stop);
  if (added < count) {
    throw new AppError(
      'unavailable',
      `Interrupted: ${added.toLocaleString('en')} of ${count.toLocaleString('en')} contacts were added to workspace ${workspaceId}, and are kept.`,
    );
  }
  const seconds = (performance.now() - startedAt) / 1000;
  report(
    shell,
    {
      seeded: demo !== null,
      contacts: added,
      workspace_id: toInteger(workspaceId),
      seconds: +seconds.toFixed(1),
    },
    `Added ${added.toLocaleString('en')} contacts to workspace ${workspaceId} in ${seconds.toFixed(1)} seconds.`,
  );
}

function parseCount(text: string): number {
  const count = /^\d{1,3}(_?\d{3})*$|^\d{1,9}$/.test(text) ? Number(text.replaceAll('_', '')) : 0;
  if (count < 1 || count > MAX_CONTACTS)
    throw invalid(
      'contacts',
      `--contacts must be a whole number from 1 to ${MAX_CONTACTS.toLocaleString('en')}.`,
    );
  return count;
}
