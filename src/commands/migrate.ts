// `migrate`: updates the database's tables, reports their state, and writes migrations (for developers).
import type { App } from '../context.ts';
import { StartupError } from '../errors.ts';
import { makePartitions } from '../services/partitions.ts';
import { toReason } from '../store/connections/failures.ts';
import { createMigration } from '../store/migrations/create.ts';
import { applyMigrations, migrationState } from '../store/migrations/migrations.ts';
import { requireUtc } from '../store/migrations/session-settings.ts';
import { migrateJobQueue } from '../store/queue/job-queue.ts';
import { requireAnswer, withDatabase } from './database.ts';
import { FailedAsPrinted } from './failures.ts';
import { actionsOf, type Result } from './operator.ts';
import { type Program, report, type Shell } from './shell.ts';

const EXAMPLES = `
Examples:
  $ npx funnel-gateway migrate
  $ DATABASE_URL=postgresql://user:password@localhost/gateway npx funnel-gateway migrate`;

/** Adds the command and its two subcommands. */
export function addMigrate(program: Program, shell: Shell): void {
  const action = actionsOf(shell, (opened, work) => withDatabase(opened, work, { anySessions: true }));
  const migrate = program
    .command('migrate')
    .option('--force', 'also apply migrations that break running gateways of an older version')
    .addHelpText('after', EXAMPLES)
    .action(action((app, { force = false }) => apply(shell, app, force)));
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

async function create(shell: Shell, name: string): Promise<void> {
  const made = await withDatabase(
    shell,
    ({ app, embedded }) =>
      createMigration(app.store.pool, name, { administratorUrl: embedded?.administratorUrl }),
    { anySessions: true },
  );
  const text = made === null ? 'The schema has not changed: nothing to write.' : `Written: ${made.path}`;
  report(shell, { created: made }, text);
}

async function apply({ signal }: Shell, { store, config, log }: App, force: boolean): Promise<Result> {
  const applied = await applyMigrations(store.pool, undefined, { force, signal });
  const partitions = await makePartitions({ store, config }).catch(
    failedToCreate('partitions for the days ahead'),
  );
  await migrateJobQueue(store.pool, log).catch(failedToCreate('the tables of the job queue'));
  // Checks a new connection, because open ones keep their settings.
  requireUtc(await requireAnswer(store.connection.connectionString ?? ''));
  const text = applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}.`;
  return [{ applied, partitions }, text];
}

function failedToCreate(what: string): (error: Error) => never {
  return (error) => {
    throw new StartupError(
      `The migrations are applied, but ${what} could not be made: ${toReason(error)}. The user of DATABASE_URL has to own the tables.`,
      { cause: error },
    );
  };
}

async function status(shell: Shell): Promise<void> {
  const state = await withDatabase(shell, ({ app }) => migrationState(app.store.pool), { anySessions: true });
  const lines = Object.entries(state)
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what}: ${names.join(', ')}`);
  report(shell, state, lines.length === 0 ? 'There are no migrations.' : lines.join('\n'));
  if (state.failed.length > 0) throw new FailedAsPrinted();
}
