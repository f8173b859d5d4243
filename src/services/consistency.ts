// Read-your-writes over replicas: what a client says of its last write, what a read has to see for that, and what a write says to its
// client. Where there are no replicas, every read sees everything that was committed before it.
import { hash } from 'node:crypto';
import { type Caller, credentialOf } from '../auth/actor.ts';
import { isWriteScope } from '../auth/scopes.ts';
import type { App, Context } from '../context.ts';
import { invalid } from '../errors.ts';
import { NOWHERE, type Position, parseToken } from '../store/replicas/positions.ts';

export type { Position };

/** The header of requests that read and of answers to changes. */
export const CONSISTENCY_TOKEN = 'Consistency-Token';

/** The form of a token as clients have it: sealed, for where the log is says how much everybody writes. */
export const TOKEN_PATTERN = '^[A-Za-z0-9_-]{64}$';
const TOKEN = new RegExp(TOKEN_PATTERN);
const SEALED_FOR = 'consistency tokens';

/** What a client says of its last write; null: nothing. @throws AppError `invalid` */
export function parseConsistencyToken({ store, keyring }: App, header: string | null): Position | null {
  if (header === null) return null;
  if (!TOKEN.test(header))
    throw invalid(
      CONSISTENCY_TOKEN,
      `${CONSISTENCY_TOKEN} must be what the answer to a change has said, unchanged; without it the last change of the credential counts.`,
    );
  if (store.replicas === null) return null;
  try {
    const opened = keyring.open(SEALED_FOR, Buffer.from(header, 'base64url'));
    return parseToken(Buffer.from(opened).toString('hex')) ?? NOWHERE;
  } catch {
    // Sealed with a secret key that is not accepted any more, perhaps.
    return NOWHERE;
  }
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

async function tell({ store, keyring, actor, changes }: Context): Promise<string | null> {
  if (store.replicas === null || actor.kind === 'anonymous' || !changes.sent) return null;
  const token = await store.replicas.writes.keep(nameOf(actor));
  if (token === null) return null;
  return Buffer.from(keyring.seal(SEALED_FOR, Buffer.from(token, 'hex'))).toString('base64url');
}

/** The scopes of a key are its own for good; those of a token are not all that its grant has. */
function mayHaveWritten(actor: Caller): boolean {
  return actor.kind !== 'api_key' || actor.scopes.values().some(isWriteScope);
}

function nameOf(actor: Caller): string {
  return hash('sha256', credentialOf(actor), 'base64url');
}
