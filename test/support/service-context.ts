// A context for calling services without an API, and its callers.
import type { Actor } from '../../src/auth/actor.ts';
import type { App, Context } from '../../src/context.ts';
import { RequestFacts } from '../../src/telemetry/request-facts.ts';

/** The context of one request. */
export function contextOf(app: App, actor: Actor): Context {
  return {
    ...app,
    requestId: 'a-request',
    signal: new AbortController().signal,
    changes: { sent: false },
    facts: new RequestFacts(null),
    actor,
    host: { kind: 'service', teamId: null, workspaceId: null },
  };
}

/** A key of the team, for all of its workspaces. */
export function keyOf(teamId: bigint, scopes: readonly string[] = ['read', 'write']): Actor {
  return {
    kind: 'api_key',
    apiKeyId: 1n,
    publicId: 'AKeyId',
    name: 'A key',
    scopes: new Set(scopes),
    expiresAt: null,
    tenancy: { teamId, workspaceIds: null },
  };
}
