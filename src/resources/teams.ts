// The team (spec §2 "Team").
import { IDS, NAME } from './description/common-fields.ts';
import { describe, type Row } from './description/resource.ts';

/** The languages that a team or a person may choose; the database has the same list. */
export const LOCALES = ['en', 'es', 'ja', 'pt'] as const;

export const team = describe({
  type: 'Team',
  title: 'Team',
  table: 'teams',
  number: 1n,
  path: 'teams',
  scope: 'account',
  openFields: ['id', 'publicId', 'name'],
  verbs: ['update'],
  wrapper: 'team',
  topic: 'team',
  description: 'A team, which owns workspaces and API keys. Each key belongs to one team.',
  fields: {
    ...IDS,
    name: { ...NAME, maxLength: 100, description: 'The name of the team.' },
    timeZone: {
      type: 'text',
      nullable: true,
      writable: 'always',
      emptyIsNull: true,
      maxLength: 100,
      description: 'The name of the team’s time zone, such as `Tokyo`; or null. Any name is accepted.',
    },
    locale: {
      type: 'text',
      values: LOCALES,
      isCode: true,
      writable: 'always',
      description: 'The language of the team, such as `en`.',
    },
    createdAt: { type: 'timestamp', description: 'When the team was created.' },
    updatedAt: { type: 'timestamp', description: 'When the team was last changed.' },
  },
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['createdAt', 'name'],
});

export interface TeamRow extends Row<typeof team> {}
