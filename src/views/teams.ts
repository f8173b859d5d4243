import type { TeamRow } from '../services/teams.ts';
import { writer } from './writer.ts';

export const writeTeam = writer<TeamRow>({
  id: 'id',
  public_id: 'publicId',
  name: 'name',
  time_zone: 'timeZone',
  locale: 'locale',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
});
