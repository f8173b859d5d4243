// The list of a team's users. The noun has no parent, because people belong to several teams.
import { team } from '../../resources/teams.ts';
import { listedUser, user } from '../../resources/users.ts';
import { readsBelowTeams } from '../../services/accounts/users.ts';
import { defineConnection } from '../connection.ts';
import { nodeOf } from '../nouns.ts';

const UserConnection = defineConnection(nodeOf(user), listedUser, readsBelowTeams);

const Team = nodeOf(team);

Team.addField('users', (t) =>
  UserConnection.field(
    t,
    Team,
    'The users of the team: its service user and its people. On the host of a workspace, and for a caller that is restricted to some workspaces, only the caller’s own user.',
  ),
);
