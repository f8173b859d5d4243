// The computed columns of a team's OAuth clients: everything but the team stands in the table of all clients. The secret's hash is left out.
import { teamOauthClient } from '../../resources/team-oauth-clients.ts';
import { ownTable } from './table.ts';

const ofClient = (sql: string) => `(select ${sql} from oauth_clients c where c.id = t.client_id)`;
const textsOf = (member: string) =>
  ofClient(`array(select jsonb_array_elements_text(c.metadata -> '${member}'))`);

export const teamOauthClientTable = ownTable(teamOauthClient, {
  computed: {
    name: ofClient('c.name'),
    grantTypes: textsOf('grant_types'),
    redirectUris: textsOf('redirect_uris'),
    isPublic: ofClient('c.secret_hash is null'),
    scopes: ofClient(`string_to_array(c.metadata ->> 'scope', ' ')`),
    isWholeTeam: ofClient('c.whole_team'),
    workspaceIds: ofClient('c.workspace_ids'),
    expiresAt: ofClient('c.expires_at'),
    revokedAt: ofClient('c.disabled_at'),
  },
});
