// The team (spec §2 "Team").
import { describe, IDS, type Row } from './resource.ts';

export const team = describe({
  type: 'Team',
  title: 'Team',
  table: 'teams',
  number: 1n,
  path: 'teams',
  scope: 'account',
  description: 'A team: it owns workspaces and API keys. A key is for one team.',
  fields: {
    ...IDS,
    name: { type: 'text', description: 'The name of the team.' },
    timeZone: { type: 'text', description: 'The time zone that the team works in.' },
    locale: { type: 'text', description: 'The language that the team works in, such as `en`.' },
    createdAt: { type: 'timestamp', description: 'When the team was created.' },
    updatedAt: { type: 'timestamp', description: 'When the team was last changed.' },
  },
  sorts: ['updatedAt'],
});

export interface TeamRow extends Row<typeof team> {}
