// Every command but `serve`: for the operator, beside the running server.
import { addClient } from './client.ts';
import { addDemo } from './demo-restore.ts';
import { addGrant } from './grant.ts';
import { addMigrate } from './migrate.ts';
import { addSchema } from './schema.ts';
import { addSeed } from './seed.ts';
import type { Program, Shell } from './shell.ts';
import { addSigningKey } from './signing-key.ts';
import { addToken } from './token.ts';
import { addUser } from './user.ts';

/** Adds the commands, in the order in which help lists them. */
export function addOperatorCommands(program: Program, shell: Shell): void {
  addMigrate(program, shell);
  addSeed(program, shell);
  addDemo(program, shell);
  addToken(program, shell);
  addUser(program, shell);
  addClient(program, shell);
  addGrant(program, shell);
  addSigningKey(program, shell);
  addSchema(program, shell);
}
