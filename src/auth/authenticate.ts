// Request -> Actor (spec §5 rules 1-2, RFC 6750 §2.1). Never throws for a bad credential: the actor is then anonymous,
// and says why, so that the operation can answer with the scope that it would have needed.
import type { App } from '../context.ts';
import { touchApiKey } from '../store/api-keys.ts';
import type { Actor, Reach } from './actor.ts';
import type { Host } from './hosts.ts';
import { hashOf } from './tokens.ts';

const TOUCH_INTERVAL_MS = 60_000;

/**
 * Who sends the request, narrowed to what the host leads to.
 * @throws AppError `unavailable` when the store cannot be asked
 */
export async function authenticate(app: App, headers: Headers, host: Host): Promise<Actor> {
  const header = headers.get('authorization');
  if (header === null) return { kind: 'anonymous', rejected: null };
  const token = /^Bearer +([\w.~+/=-]+)$/i.exec(header)?.[1];
  if (token === undefined) return rejected('The Authorization header must be "Bearer <API key>".');
  const hash = hashOf(token);
  const key = hash === null ? null : await app.lookups.login(hash);
  if (key === null) return rejected('API key invalid.');
  const now = app.clock();
  if (key.revokedAt !== null && key.revokedAt <= now) return rejected('API key revoked.');
  if (key.expiresAt !== null && key.expiresAt <= now) return rejected('API key expired.');
  if (key.lastUsedAt === null || now.getTime() - key.lastUsedAt.getTime() >= TOUCH_INTERVAL_MS) {
    key.lastUsedAt = now;
    touchApiKey(app.store, key.id, now, TOUCH_INTERVAL_MS).catch((error: unknown) => {
      app.log.warn({ err: error }, 'last use of an API key not written');
    });
  }
  return {
    kind: 'api_key',
    apiKeyId: key.id,
    publicId: key.publicId,
    name: key.name,
    scopes: key.scopes,
    expiresAt: key.expiresAt,
    reach: narrow(key.teamId, host),
  };
}

function rejected(why: string): Actor {
  return { kind: 'anonymous', rejected: why };
}

/**
 * The team's rows that the host leads to, among the granted workspaces. On another team's host that is nothing.
 * @param granted the workspaces that a grant is for; null is every one of the team
 */
function narrow(teamId: bigint, host: Host, granted: readonly bigint[] | null = null): Reach {
  if (host.teamId !== null && host.teamId !== teamId) return { teamId: 0n, workspaceIds: [] };
  if (host.workspaceId === null) return { teamId, workspaceIds: granted };
  const { workspaceId } = host;
  return { teamId, workspaceIds: granted === null || granted.includes(workspaceId) ? [workspaceId] : [] };
}
