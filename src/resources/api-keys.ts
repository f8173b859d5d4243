// The fields of an API key that its team may see: neither the key nor its hash.
import { describe, IDS, type Row } from './resource.ts';
import { team } from './teams.ts';

export const apiKey = describe({
  type: 'ApiKey',
  title: 'API key',
  table: 'api_keys',
  number: 10n,
  parent: team,
  plural: 'apiKeys',
  listDescription:
    'The API keys of the team, ended ones included. Empty for a caller who is narrowed to some of the team’s workspaces.',
  parentDescription: 'The team that the key is for.',
  scope: 'account',
  description:
    'An API key of a team. The key itself was shown once, when it was created, and cannot be read again.',
  fields: {
    ...IDS,
    teamId: { type: 'int8', description: 'The integer id of its team.' },
    name: { type: 'text', description: 'What the key is for, in the words of its creator.' },
    isDefault: { type: 'bool', description: 'Whether it is the default key of the team.' },
    hint: {
      type: 'text',
      description: 'The first characters of the key, to tell keys apart. They are not a credential.',
    },
    scopes: {
      type: 'text[]',
      description:
        'What the key allows: `<category>:read` and `<category>:write`, or `read` and `write` for every category.',
    },
    createdAt: { type: 'timestamp', description: 'When the key was created.' },
    expiresAt: {
      type: 'timestamp',
      nullable: true,
      description: 'When the key expires, or null when it is valid until it is revoked.',
    },
    revokedAt: {
      type: 'timestamp',
      nullable: true,
      description:
        'When the key was revoked, or null. A replaced key may have a time in the future: it works until then.',
    },
    lastUsedAt: {
      type: 'timestamp',
      nullable: true,
      description: 'When the key was last used, to the minute, or null when it never was.',
    },
  },
});

export interface ApiKeyRow extends Row<typeof apiKey> {}
