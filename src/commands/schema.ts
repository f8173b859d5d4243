// `schema`: prints the public GraphQL schema. Needs no database.
import { printWithScopes } from '../graphql/print.ts';
import { schema } from '../graphql/schema.ts';
import { type Program, report, type Shell } from './shell.ts';

/** Adds the command. */
export function addSchema(program: Program, shell: Shell): void {
  program
    .command('schema')
    .addHelpText(
      'after',
      `
Examples:
  $ npx funnel-gateway schema > schema.graphql`,
    )
    .action(() => {
      const sdl = printWithScopes(schema).trimEnd();
      report(shell, { sdl }, sdl);
    });
}
