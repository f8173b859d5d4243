// What may be read of a team's credentials, as tables for the hand-written reads: no hash, no secret, no payload.
import { apiKey } from '../../resources/api-keys.ts';
import { oauthGrant } from '../../resources/oauth-grants.ts';
import { team } from '../../resources/teams.ts';
import { tableOf } from '../reading/tables.ts';

/** A team's credentials: nothing of them for a caller who is narrowed to some of its workspaces. */
const BELOW_TEAM = {
  parent: { table: 'teams', column: 'team_id', title: team.title },
  visible: 'true',
  owners: { teamId: 'whole team' },
  owned: (team: string, workspace: string) => `t.team_id = ${team} and ${workspace}::bigint[] is null`,
  narrowed: (workspace: string) => `${workspace}::bigint[] is null`,
} as const;

export const API_KEYS = tableOf(apiKey, BELOW_TEAM);

export const OAUTH_GRANTS = tableOf(oauthGrant, BELOW_TEAM, {
  clientName: '(select c.name from oauth_clients c where c.id = t.client_id)',
  userPublicId: '(select u.public_id from users u where u.id = t.user_id)',
  userName: '(select u.name from users u where u.id = t.user_id)',
  isWholeTeam: 't.whole_team',
  isBacked: `(exists (select from team_members m join users u on u.id = m.user_id
      where m.user_id = t.user_id and m.team_id = t.team_id and u.disabled_at is null)
    and exists (select from oauth_clients c where c.id = t.client_id and c.disabled_at is null))`,
});
