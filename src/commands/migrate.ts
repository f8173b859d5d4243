// `migrate`: updates the database's tables, reports their state, and writes migrations (for developers).
import { StartupError } from '../errors.ts';
import { makePartitions } from '../services/partitions.ts';
import { toReason } from '../store/connections/failures.ts';
import { createMigration } from '../store/migrations/create.ts';
import { applyMigrations, migrationState } from '../store/migrations/migrations.ts';
import { migrateJobQueue } from '../store/queue/job-queue.ts';
import { OPENED, withDatabase } from './database.ts';
import { FailedAsPrinted } from './failures.ts';
import { type Program, report, type Shell } from './shell.ts';

const EXAMPLES = `
Examples:
  $ npx funnel-gateway migrate
  $ DATABASE_URL=postgresql://user:password@localhost/gateway npx funnel-gateway migrate`;

/** Adds the command and its two subcommands. */
export function addMigrate(program: Program, shell: Shell): void {
  const migrate = program
    .command('migrate')
    .option('--force', 'also apply migrations that break running gateways of an older version')
    .addHelpText('after', EXAMPLES)
    .action(({ force }) => apply(shell, force === true));
  migrate
    .command('status')
    .description(
      'show which migrations are applied and which are pending; changes nothing; exit code 1 if one has failed',
    )
    .addHelpText('after', '\nExamples:\n  $ npx funnel-gateway migrate status --json')
    .action(() => status(shell));
  migrate
    .command('create')
    .description('for developers: write a migration from the last one to prisma/schema')
    .requiredOption('--name <name>', 'lower-case letters, digits and underscores, such as add_contact_score')
    .addHelpText('after', '\nExamples:\n  $ npx funnel-gateway migrate create --name add_contact_score')
    .action(({ name }) => create(shell, name));
}

async function apply(shell: Shell, force: boolean): Promise<void> {
  const lines: string[] = [];
  const onOpened = () => lines.push(OPENED);
  const { applied, partitions } = await withDatabase(shell, async ({ app }) => {
    const { tenantRole } = app.config;
    const options = { force, tenantRole, onOpened, signal: shell.signal };
    const applied = await applyMigrations(app.store.pool, undefined, options);
    const partitions = await makePartitions(app).catch(notMade('partitions for the days ahead'));
    await migrateJobQueue(app.store.pool, app.log).catch(notMade('the tables of the job queue'));
    return { applied, partitions };
  });
  const isOpened = lines.length > 0;
  if (applied.length > 0) lines.push(`Applied: ${applied.join(', ')}.`);
  const text = lines.length === 0 ? 'The database is up to date.' : lines.join('\n');
  report(shell, { applied, partitions, ...(isOpened && { opened: true }) }, text);
}

function notMade(what: string): (error: Error) => never {
  return (error) => {
    throw new StartupError(
      `The migrations are applied, but ${what} could not be made: ${toReason(error)}. The user of DATABASE_URL has to own the tables.`,
      { cause: error },
    );
  };
}

async function status(shell: Shell): Promise<void> {
  const state = await withDatabase(shell, ({ app }) => migrationState(app.store.pool));
  const lines = Object.entries(state)
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what}: ${names.join(', ')}`);
  report(shell, state, lines.length === 0 ? 'There are no migrations.' : lines.join('\n'));
  if (state.failed.length > 0) throw new FailedAsPrinted();
}

async function create(shell: Shell, name: string): Promise<void> {
  const made = await withDatabase(shell, ({ app }) => createMigration(app.store.pool, name));
  const text = made === null ? 'The schema has not changed: nothing to write.' : `Written: ${made.path}`;
  report(shell, { created: made }, text);
}
