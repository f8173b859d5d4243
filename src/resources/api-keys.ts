// The fields of an API key that its team may see: neither the key nor its hash.
import { IDS } from './description/common-fields.ts';
import type { Fields } from './description/fields.ts';
import { describe, type Row } from './description/resource.ts';
import { team } from './teams.ts';

export const apiKey = describe({
  type: 'ApiKey',
  title: 'API key',
  table: 'api_keys',
  number: 10n,
  parent: team,
  plural: 'apiKeys',
  path: 'api_keys',
  wrapper: 'api_key',
  gatewayOnly: true,
  listDescription:
    'The API keys of the team, including expired and revoked ones. Empty for a caller that is restricted to some of the team’s workspaces.',
  parentDescription: 'The team to which the key belongs.',
  scope: 'account',
  description:
    'An API key of a team. The key itself is returned only once, when it is created, and cannot be read again.',
  fields: {
    ...IDS,
    teamId: { type: 'int8', description: 'The integer id of its team.' },
    name: { type: 'text', description: 'The purpose of the key, as its creator described it.' },
    isDefault: { type: 'bool', description: 'Whether the key is the default key of the team.' },
    hint: {
      type: 'text',
      description:
        'The first characters of the key, which help people to tell keys apart. They are not a credential.',
    },
    scopes: {
      type: 'text[]',
      description:
        'The scopes of the key: `<category>:read` and `<category>:write`, or `read` and `write` for every category.',
    },
    createdAt: { type: 'timestamp', description: 'When the key was created.' },
    expiresAt: {
      type: 'timestamp',
      nullable: true,
      description: 'When the key expires. Null if it is valid until it is revoked.',
    },
    revokedAt: {
      type: 'timestamp',
      nullable: true,
      description:
        'When the key was revoked; null if it was not. For a replaced key this may be in the future: the key works until then.',
    },
    lastUsedAt: {
      type: 'timestamp',
      nullable: true,
      description: 'When the key was last used, to the minute. Null if it was never used.',
    },
  },
  sorts: ['createdAt'],
  scannedSorts: ['createdAt'],
});

const { name, scopes, expiresAt } = apiKey.fields;

/** The longest name of a key. */
export const MAX_KEY_NAME_CHARS = 100;

/** The input of a new name. */
export const API_KEY_NAME = {
  name: { ...name, writable: 'always', required: true, maxLength: MAX_KEY_NAME_CHARS },
} as const satisfies Fields;

/** The input of a new key. */
export const NEW_API_KEY = {
  ...API_KEY_NAME,
  scopes: {
    ...scopes,
    writable: 'at_creation',
    required: true,
    maxLength: 50,
    rule: 'Only those that the credential of the request has.',
  },
  expiresAt: {
    ...expiresAt,
    writable: 'at_creation',
    rule: 'At most, and by default, the end of the credential of the request, if that has one.',
  },
} as const satisfies Fields;

/** A key with its secret, which is returned only when it is created. */
export const apiKeyWithToken = describe({
  ...apiKey,
  type: 'ApiKeyWithToken',
  fields: {
    ...apiKey.fields,
    token: {
      type: 'text',
      description: 'The key itself, for the header `Authorization: Bearer`. Only this answer contains it.',
    },
  },
});

export interface ApiKeyRow extends Row<typeof apiKey> {}
