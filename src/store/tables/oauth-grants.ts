// The computed columns of a grant: the names of its user, client, team and workspaces. Key and payload are left out.
import { oauthGrant } from '../../resources/oauth-grants.ts';
import { isEnabledClient } from '../sql/oauth-clients.ts';
import { ownTable } from './table.ts';

export const oauthGrantTable = ownTable(oauthGrant, {
  computed: {
    clientName: '(select c.name from oauth_clients c where c.id = t.client_id)',
    userPublicId: '(select u.public_id from users u where u.id = t.user_id)',
    userName: '(select u.name from users u where u.id = t.user_id)',
    isWholeTeam: 't.whole_team',
    isBacked: `(exists (select from team_members m join users u on u.id = m.user_id
      where m.user_id = t.user_id and m.team_id = t.team_id and u.disabled_at is null)
    and exists (select from oauth_clients c where c.id = t.client_id
      and ${isEnabledClient('c', 'clock_timestamp()')}))`,
  },
});
