// What a person may pass on of what they may do for a team: when they consent, and as long as a token lives.
import type { TeamRole } from '../store/generated/client.ts';
import { SCOPES } from './scopes.ts';

/** What a member may not pass on: whatever changes the team itself. */
const NOT_FOR_MEMBERS = ['account:write', 'write'];

const GRANTABLE: Readonly<Record<TeamRole, ReadonlySet<string>>> = {
  owner: new Set(SCOPES),
  admin: new Set(SCOPES),
  member: new Set(SCOPES.filter((scope) => !NOT_FOR_MEMBERS.includes(scope))),
};

/** The scopes that somebody with this role in a team may grant for it. */
export function grantable(role: TeamRole): ReadonlySet<string> {
  return GRANTABLE[role];
}
