// The memberships of a team as rows.
import { MAX_MEMBERSHIPS, MEMBERSHIP, type MembershipRow } from '../../resources/memberships.ts';
import { rowMaker, selectList } from '../../rows/columns.ts';
import { readRows } from '../reading/reads.ts';
import { statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import { columnsOf } from '../tables/table.ts';
import type { RowOwner } from '../tenancy/row-owners.ts';

/** Missing names are empty texts, as those of users are. */
const COLUMNS = columnsOf(
  { fields: MEMBERSHIP },
  {
    email: "coalesce(u.email, '')",
    firstName: "coalesce(u.first_name, '')",
    lastName: "coalesce(u.last_name, '')",
  },
);
const makeMembership = rowMaker<MembershipRow>(COLUMNS);
const OF_TEAM: readonly RowOwner[] = [{ of: 'team', field: Object.keys(COLUMNS).indexOf('teamId'), row: 0 }];

const OF_USERS = statement(
  'memberships.of_team',
  () => `select ${selectList(COLUMNS)} from team_members t join users u on u.id = t.user_id
    where t.team_id = $team and coalesce(t.user_id = any($ids::bigint[]), true)
    order by t.user_id limit greatest(${MAX_MEMBERSHIPS}, cardinality($ids::bigint[]))`,
);

/**
 * Reads the memberships of a team, in the order of the users' ids.
 * @param only those of these users; null: of everybody in the team, up to the limit
 */
export async function findTeamMemberships(
  ctx: StoreContext,
  tenancy: Tenancy,
  only: readonly bigint[] | null,
): Promise<MembershipRow[]> {
  const rows = await readRows(ctx, OF_USERS, { team: tenancy.teamId, ids: only }, tenancy, OF_TEAM);
  return rows.map(makeMembership);
}
