// Read-your-writes over replicas: parses the token of a client's last write, decides what a replica must have replayed before it may
// answer a read, and returns the token of a new write. Without replicas, every read sees everything that was committed before it.
import { hash } from 'node:crypto';
import { type Caller, credentialOf } from '../../auth/actor.ts';
import { isWriteScope } from '../../auth/scopes.ts';
import type { App, Context } from '../../context.ts';
import { invalid, mustBe } from '../../errors.ts';
import { type Position, parseToken, UNREACHED } from '../../store/replicas/positions.ts';

export type { Position };

/** The header: a read request sends it, the answer to a change returns it. */
export const CONSISTENCY_TOKEN = 'Consistency-Token';

/** The form of a token. It is sealed, because a position in the write-ahead log reveals how much all tenants write. */
export const TOKEN_PATTERN = '^[A-Za-z0-9_-]{64}$';
const TOKEN = new RegExp(TOKEN_PATTERN);
const SEALED_FOR = 'consistency tokens';

/** The position of a client's last write; null when it sent no token. @throws AppError `invalid` */
export function parseConsistencyToken({ store, keyring }: App, header: string | null): Position | null {
  if (header === null) return null;
  if (!TOKEN.test(header))
    throw invalid(
      CONSISTENCY_TOKEN,
      mustBe(
        `the unchanged value from the response to a change. Without it, the credential's last change counts`,
      ),
    );
  if (store.replicas === null) return null;
  try {
    const opened = keyring.open(SEALED_FOR, Buffer.from(header, 'base64url'));
    return parseToken(Buffer.from(opened).toString('hex')) ?? UNREACHED;
  } catch {
    // Perhaps sealed with a secret key that is no longer accepted.
    return UNREACHED;
  }
}

/** Lets a replica answer the reads of a request that changes nothing, once it has replayed the caller's own writes. */
export function readFromReplicas({ store, reading, actor }: Context, position: Position | null): void {
  if (reading === undefined || store.replicas === null || actor.kind === 'anonymous') return;
  reading.wanted ??= { position, credential: mayHaveWritten(actor) ? nameOf(actor) : null };
}

/**
 * Makes a change. From then on the caller's reads see it.
 * @returns the result and the token for the client; the token is null without replicas, or when nothing was changed
 */
export async function changeWithToken<Result>(
  ctx: Context,
  change: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly token: string | null }> {
  try {
    const result = await change();
    return { result, token: await sealWriteToken(ctx) };
  } catch (error) {
    // The change may have been committed despite the error.
    await sealWriteToken(ctx);
    throw error;
  }
}

async function sealWriteToken({ store, keyring, actor, changes }: Context): Promise<string | null> {
  if (store.replicas === null || actor.kind === 'anonymous' || !changes.sent) return null;
  const token = await store.replicas.noteWrite(nameOf(actor));
  if (token === null) return null;
  return Buffer.from(keyring.seal(SEALED_FOR, Buffer.from(token, 'hex'))).toString('base64url');
}

/**
 * The scopes of an API key never change. A token may have fewer scopes than its grant, so another token of that grant may have written.
 */
function mayHaveWritten(actor: Caller): boolean {
  return actor.kind !== 'api_key' || actor.scopes.values().some(isWriteScope);
}

function nameOf(actor: Caller): string {
  return hash('sha256', credentialOf(actor), 'base64url');
}
