// `demo restore`: restores the demo's funnels to their original state, so that users can try removals again.
import { restoreDemo } from '../store/demo/restore.ts';
import { actionsOf, fieldsOf } from './operator.ts';
import type { Program, Shell } from './shell.ts';

const EXAMPLE = '\nExamples:\n  $ npx funnel-gateway demo restore';

const ABOUT_RESTORE = `
Conditional splits that were removed from the demo's funnels are there again, with their pages and the ids that they had.
Funnels and steps that were renamed have their names again.
Steps that were added to them are taken out; the pages that these show stay, by themselves.
Contacts, keys and everything that is not the demo's stay as they are. Works beside a running server.
${EXAMPLE}`;

/** Adds the command and its subcommand. */
export function addDemo(program: Program, shell: Shell): void {
  const demo = program.command('demo').addHelpText('after', EXAMPLE);
  demo
    .command('restore')
    .description("restore what was removed from the demo's funnels")
    .addHelpText('after', ABOUT_RESTORE)
    .action(
      actionsOf(shell)(async (app) => {
        const restored = await restoreDemo(app.store, app.clock());
        const text =
          restored.length === 0
            ? "The demo's funnels are as they were: nothing to restore."
            : `Restored: ${restored.map(({ name }) => name).join(', ')}.`;
        return [{ restored: restored.map((funnel) => fieldsOf(funnel, 'id', 'name')) }, text];
      }),
    );
}
