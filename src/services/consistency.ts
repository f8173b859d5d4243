// Read-your-writes over replicas: what a client says of its last write, what a read has to see for that, and what a write says to its
// client. Where there are no replicas, every read sees everything that was committed before it.
import { hash } from 'node:crypto';
import { type Caller, credentialOf } from '../auth/actor.ts';
import { isWriteScope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { invalid } from '../errors.ts';
import { type Position, parseToken, TOKEN_PATTERN } from '../store/replicas/positions.ts';

export { type Position, TOKEN_PATTERN };

/** The header of requests that read and of answers to changes. */
export const CONSISTENCY_TOKEN = 'Consistency-Token';

/** What a client says of its last write; null: nothing. @throws AppError `invalid` */
export function parseConsistencyToken(header: string | null): Position | null {
  if (header === null) return null;
  const position = parseToken(header);
  if (position !== null) return position;
  throw invalid(
    CONSISTENCY_TOKEN,
    `${CONSISTENCY_TOKEN} must be what the answer to a change has said, unchanged; without it the last change of the credential counts.`,
  );
}

/** To be called of a request that changes nothing: from now on a replica may answer its reads, one that has what the caller has written. */
export function readFromReplicas({ store, reading, actor }: Context, position: Position | null): void {
  if (reading === undefined || store.replicas === null || actor.kind === 'anonymous') return;
  reading.wanted ??= { position, credential: mayHaveWritten(actor) ? nameOf(actor) : null };
}

/**
 * Makes a change, and tells where the log was afterwards: the caller's reads see it from then on, whichever process they come to.
 * @returns the token for the client, too; null where there are no replicas, or nothing was changed
 */
export async function changeAndTell<Result>(
  ctx: Context,
  change: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly token: string | null }> {
  try {
    const result = await change();
    return { result, token: await tell(ctx) };
  } catch (error) {
    // It may have been made.
    await tell(ctx);
    throw error;
  }
}

async function tell({ store, actor, changes }: Context): Promise<string | null> {
  if (store.replicas === null || actor.kind === 'anonymous' || !changes.sent) return null;
  return store.replicas.writes.keep(nameOf(actor));
}

/** The scopes of a key are its own for good; those of a token are not all that its grant has. */
function mayHaveWritten(actor: Caller): boolean {
  return actor.kind !== 'api_key' || actor.scopes.values().some(isWriteScope);
}

function nameOf(actor: Caller): string {
  return hash('sha256', credentialOf(actor), 'base64url');
}
