import { toInteger, toTimestamp } from '../json.ts';
import type { TeamRow } from '../services/teams.ts';

export function viewTeam(team: TeamRow) {
  return {
    id: toInteger(team.id),
    public_id: team.publicId,
    name: team.name,
    time_zone: team.timeZone,
    locale: team.locale,
    created_at: toTimestamp(team.createdAt),
    updated_at: toTimestamp(team.updatedAt),
  };
}
