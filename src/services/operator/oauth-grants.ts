// Grants as the operator sees them: listing and revoking those of any team.
import type { App } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { findGrants, type NamedGrant } from '../../store/accounts/oauth-grants.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { endGrants } from '../sign-in/oauth-grants.ts';
import { teamIdOf } from './refs.ts';

export type { NamedGrant };

/** The grants for one team or for all teams, including those that have ended. @throws AppError `not_found` for the team */
export async function list(app: App, filter: { team?: Ref | undefined } = {}): Promise<NamedGrant[]> {
  return findGrants(app.store, { teamId: await teamIdOf(app, filter) });
}

/** Ends a grant at once. A revoked grant stays unchanged. @throws AppError `not_found` */
export async function revoke(app: App, ref: Ref): Promise<NamedGrant> {
  const named = { id: parseRef('Grant', 'oauth_grants', ref) };
  const [grant] = await findGrants(app.store, named);
  if (grant === undefined) throw notFound('Grant');
  await endGrants(app, { id: grant.id, teamId: grant.teamId });
  const [ended = grant] = await findGrants(app.store, named);
  return ended;
}
