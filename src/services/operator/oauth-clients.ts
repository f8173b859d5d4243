// OAuth clients that the operator registers: their rules, their secrets, and their removal.

import { createClientId } from '../../auth/tokens.ts';
import type { App } from '../../context.ts';
import { invalid, notFound } from '../../errors.ts';
import { GRANT_TYPES } from '../../resources/team-oauth-clients.ts';
import {
  findClients,
  insertClient,
  LEGACY_MEMBER,
  type LegacyTerms,
  legacyTermsOf,
  type OauthClientRow,
} from '../../store/accounts/oauth-clients.ts';
import { findWorkspaces } from '../../store/accounts/workspaces.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { registration } from '../sign-in/client-registration.ts';
import { endClient } from '../sign-in/oauth-grants.ts';
import { GRAPHIQL_CLIENT_ID } from '../sign-in/oauth-records.ts';
import { withConflicts } from './conflicts.ts';
import { teamIdOf } from './refs.ts';

export { GRANT_TYPES, legacyTermsOf, type OauthClientRow };

/** How long grants to a legacy client may last, if not until they are revoked. */
const GRANT_LIFETIME = { least: 60_000, most: 3_650 * 86_400_000 };

export interface ClientInput {
  /** The `client_id`; absent: a random one. */
  readonly id?: string | undefined;
  readonly name: string;
  readonly grants: readonly string[];
  readonly scopes: readonly string[];
  /** The team that the client acts for with client credentials; no consent is needed. */
  readonly team?: Ref | undefined;
  /** Absent or empty: every workspace of the team. */
  readonly workspaces?: readonly Ref[] | undefined;
  readonly redirectUris?: readonly string[] | undefined;
  /** The client has no secret, because it runs where users could read one. */
  readonly isPublic?: boolean | undefined;
  /** The client is an integration whose code nobody will change: it may do what oauth/legacy-clients.ts says. */
  readonly isLegacy?: boolean | undefined;
  /** How long grants to a legacy client last, in milliseconds; absent: until they are revoked. */
  readonly grantLifetimeMs?: number | undefined;
}

/**
 * Registers a client. Its secret is returned only here; a public client has none.
 * @throws AppError `invalid` for properties that contradict each other, `not_found` for the team and workspaces, `conflict` for an id in use
 */
export async function create(
  app: App,
  input: ClientInput,
): Promise<{ client: OauthClientRow; clientSecret: string | null }> {
  const id = input.id === undefined ? createClientId() : parseClientId(input.id);
  const { columns, secret, usesCredentials } = registration(
    { ...input, redirectUris: input.redirectUris ?? [], isPublic: input.isPublic ?? false },
    { grants: 'grants', redirectUris: 'redirect_uris', isPublic: 'public' },
  );
  const legacy = parseLegacyTerms(input, usesCredentials);
  if (usesCredentials !== (input.team !== undefined))
    throw invalid('team', {
      code: 'not_allowed',
      message: usesCredentials
        ? 'A client with client_credentials needs the team that it acts for.'
        : "Only a client with client_credentials has a team. Others get theirs by a person's consent.",
    });
  const teamId = await teamIdOf(app, input);
  const workspaceIds = await requireWorkspaces(app, teamId, input.workspaces ?? []);
  const row = {
    ...columns,
    id,
    metadata: { ...columns.metadata, ...(legacy !== null && { [LEGACY_MEMBER]: { ...legacy } }) },
    teamId,
    workspaceIds,
    wholeTeam: workspaceIds.length === 0,
    createdAt: app.clock(),
  };
  const client = await withConflicts(() => insertClient(app.store, row));
  return { client, clientSecret: secret };
}

/** The clients that act for one team, or all clients, including removed ones. @throws AppError `not_found` for the team */
export async function list(app: App, filter: { team?: Ref | undefined } = {}): Promise<OauthClientRow[]> {
  return findClients(app.store, await teamIdOf(app, filter));
}

/**
 * Ends a client permanently, with all grants and tokens issued to it. Its row stays as history.
 * @throws AppError `not_found`
 */
export async function remove(app: App, id: string): Promise<OauthClientRow> {
  const client = id.includes('\0') ? null : await endClient(app, id);
  if (client === null) throw notFound('Client');
  return client;
}

/** Characters that need no escape in a URL (RFC 3986 §2.3). */
const CLIENT_ID = /^[A-Za-z0-9._~-]{1,200}$/;

function parseClientId(id: string): string {
  if (!CLIENT_ID.test(id))
    throw invalid('id', {
      code: 'invalid_format',
      message: 'The id must have 1 to 200 letters, digits, hyphens, dots, underscores or tildes.',
    });
  if (id === GRAPHIQL_CLIENT_ID)
    throw invalid('id', { code: 'not_allowed', message: `The id ${id} belongs to the built-in client.` });
  return id;
}

function parseLegacyTerms(
  { isLegacy = false, grantLifetimeMs }: ClientInput,
  usesCredentials: boolean,
): LegacyTerms | null {
  if (!isLegacy && grantLifetimeMs !== undefined)
    throw invalid('grant_lifetime', {
      code: 'not_allowed',
      message: 'Only a legacy client has a grant lifetime. Grants to other clients last for a year.',
    });
  if (!isLegacy) return null;
  if (usesCredentials)
    throw invalid('legacy', {
      code: 'not_allowed',
      message: 'A legacy client acts for people: it cannot use client_credentials.',
    });
  if (grantLifetimeMs === undefined) return { grant_seconds: null };
  if (grantLifetimeMs < GRANT_LIFETIME.least || grantLifetimeMs > GRANT_LIFETIME.most)
    throw invalid('grant_lifetime', { code: 'out_of_range', message: 'must be from 1m to 3650d' });
  return { grant_seconds: grantLifetimeMs / 1_000 };
}

async function requireWorkspaces(app: App, teamId: bigint | null, refs: readonly Ref[]): Promise<bigint[]> {
  if (refs.length === 0) return [];
  if (teamId === null)
    throw invalid('workspaces', {
      code: 'not_allowed',
      message: 'Only a client with a team can be limited to workspaces.',
    });
  const ids = new Set(refs.map((ref) => parseRef('Workspace', 'workspaces', ref)));
  const own = new Set((await findWorkspaces(app.store, teamId)).map(({ id }) => id));
  if (!ids.isSubsetOf(own)) throw notFound('Workspace');
  return [...ids];
}
