// The list of a team's users. The noun has no parent, because people belong to several teams.
import { team } from '../../resources/teams.ts';
import { listedUser, user } from '../../resources/users.ts';
import { ofTeams } from '../../services/accounts/users.ts';
import { defineConnection } from '../connection.ts';
import { nodeOf } from '../nouns.ts';

const UserConnection = defineConnection(nodeOf(user), listedUser, ofTeams);

nodeOf(team).addField('users', (t) =>
  UserConnection.field(
    t,
    'The users of the team: its service user and the people in it; on the host of a workspace, and for a caller who is narrowed to some workspaces, the caller’s own user alone.',
  ),
);
