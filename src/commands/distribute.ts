// `distribute`: makes Citus distribute the tables of a store (docs/scaling.md).
import { distribute } from '../store/distribution/distribute.ts';
import { withDatabase } from './database.ts';
import { actionsOf } from './operator.ts';
import { type Program, printRemark, type Shell, wholeNumber } from './shell.ts';

const EXAMPLES = `
Run it on the coordinator of Citus, after "migrate", while no gateway runs. It works in one transaction, which blocks all others;
Ctrl-C leaves the store unchanged. Run again, it distributes only what is missing. The first run fixes the number of shards:
choose several for each worker that you will ever have.

Examples:
  $ DATABASE_URL=postgresql://user:password@coordinator/gateway npx funnel-gateway distribute
  $ npx funnel-gateway distribute --shards 64`;

const SHARDS = { fallback: 32, most: 1_024 };

/** Adds the command. */
export function addDistribute(program: Program, shell: Shell): void {
  program
    .command('distribute')
    .option(
      '--shards <number>',
      'how many shards each table has',
      wholeNumber(1, SHARDS.most),
      SHARDS.fallback,
    )
    .addHelpText('after', EXAMPLES)
    .action(
      actionsOf(
        shell,
        withDatabase,
      )(async ({ store }, { shards }) => {
        const onPlaced = (placed: number, of: number) => printRemark(shell, `${placed} of ${of} tables`);
        const done = await distribute(store.pool, { shards, onPlaced, signal: shell.signal });
        const { distributed, everywhere, tables } = done;
        const where = `${tables} tables in ${done.shards} shards on ${done.nodes} ${done.nodes === 1 ? 'node' : 'nodes'}`;
        const text =
          distributed.length + everywhere.length === 0
            ? `Everything is in place: ${where}.`
            : `Distributed: ${distributed.join(', ') || 'nothing more'}. On every node: ${everywhere.join(', ') || 'nothing more'}. Now ${where}.`;
        return [done, text];
      }),
    );
}
