// `erasures`: lists the erased contacts, to be stored with the backups, and erases them again in a restored store.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { StartupError } from '../errors.ts';
import { readErasures, repeatErasures } from '../store/erasure/erasures.ts';
import { withTables } from './database.ts';
import { actionsOf, examples } from './operator.ts';
import type { Program, Shell } from './shell.ts';

const EXAMPLES = `
Examples:
  $ npx funnel-gateway erasures list > erasures.jsonl
  $ npx funnel-gateway erasures apply erasures.jsonl

A list has no personal data: ids, when, and by whom. Restoring over a store that knows who was erased needs none: docs/backup.md.`;

/** Adds the command and its two subcommands. */
export function addErasures(program: Program, shell: Shell): void {
  const erasures = program.command('erasures').addHelpText('after', EXAMPLES);
  erasures
    .command('list')
    .description('print the erased contacts, one line of JSON each')
    .addHelpText(...examples('erasures list > erasures.jsonl'))
    .action(() =>
      withTables(shell, async ({ app }) => {
        for (const line of await readErasures(app.store.pool)) shell.stdout.write(`${line}\n`);
      }),
    );
  erasures
    .command('apply')
    .argument('<file>', 'a list that "erasures list" printed')
    .description('erase all contacts on the list again; those already erased stay as they are')
    .addHelpText(...examples('erasures apply erasures.jsonl'))
    .action(
      actionsOf(shell)(async (app, file) => {
        const lines = await readList(resolve(file));
        const client = await app.store.pool.connect();
        const erased = await repeatErasures(client, lines).finally(() => client.release());
        const text = `Erased again: ${erased} of ${lines.length} on the list.`;
        return [{ listed: lines.length, erased_again: erased }, text];
      }),
    );
}

/** The lines of a list. @throws StartupError when the file is not such a list */
async function readList(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StartupError(`${path} cannot be read (${error.code ?? error.message}).`, { cause: error });
  });
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const wrong = lines.findIndex((line) => !isErasure(line));
  if (wrong !== -1)
    throw new StartupError(`${path} is not a list of erasures (line ${wrong + 1}). Nothing was changed.`);
  return lines;
}

const ID = /^[1-9]\d{0,18}$/;

function isErasure(line: string): boolean {
  try {
    const entry = JSON.parse(line, (_, value: unknown, { source }) =>
      typeof value === 'number' ? source : value,
    ) as Record<string, unknown>;
    const { action, workspace_id, contact_id, created_at } = entry;
    return (
      action === 'contact.erased' &&
      [workspace_id, contact_id].every((id) => ID.test(String(id))) &&
      !Number.isNaN(Date.parse(String(created_at)))
    );
  } catch {
    return false;
  }
}
