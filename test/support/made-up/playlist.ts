// Made-up nouns: a playlist with its tracks, which have an order and are written with it, and a receipt of a contact with lines that are
// written only at its creation; and their tables, as migrations would create them.
import type pg from 'pg';
import { contact } from '../../../src/resources/contacts.ts';
import { IDS, OF_WORKSPACE, ORDERED } from '../../../src/resources/description/common-fields.ts';
import { describe } from '../../../src/resources/description/resource.ts';
import { funnel } from '../../../src/resources/funnels.ts';
import { image } from '../../../src/resources/images.ts';
import { workspace } from '../../../src/resources/workspaces.ts';

const TRACK = {
  type: 'Track',
  title: 'Track',
  // A name from the list of nouns, for the compiler.
  table: 'tracks' as 'tags',
  fields: {
    ...IDS,
    playlistId: { type: 'int8', description: 'The integer id of its playlist.' },
    title: {
      type: 'text',
      writable: 'always',
      required: true,
      maxLength: 100,
      description: 'What it is called.',
    },
    code: { type: 'text', nullable: true, writable: 'always', description: 'Unique in the workspace.' },
    rating: { type: 'int4', writable: 'always', default: 3, description: 'From 1 to 5.' },
    price: {
      type: 'decimal',
      currency: 'currency',
      nullable: true,
      writable: 'always',
      description: 'What it costs.',
    },
    currency: { type: 'currency', writable: 'always', default: 'EUR', description: 'What its price is in.' },
    funnelId: {
      type: 'int8',
      nullable: true,
      refers: funnel,
      writable: 'at_creation',
      description: 'The integer id of the funnel that sells it.',
    },
    coverId: {
      type: 'int8',
      nullable: true,
      refers: image,
      writable: 'always',
      description: 'The integer id of its picture.',
    },
    ...ORDERED,
    createdAt: { type: 'timestamp', description: 'When the track was created.' },
    updatedAt: { type: 'timestamp', description: 'When the track was last changed.' },
  },
} as const;

const playlist = describe({
  type: 'Playlist',
  title: 'Playlist',
  table: 'playlists' as 'tags',
  number: 97n,
  parent: workspace,
  plural: 'playlists',
  path: 'playlists',
  scope: 'store',
  verbs: ['create', 'update', 'remove'],
  events: ['created', 'updated', 'deleted'],
  wrapper: 'playlist',
  topic: 'playlist',
  description: 'Tracks in an order.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: { type: 'text', writable: 'always', required: true, maxLength: 100, description: 'Its name.' },
    tracks: {
      type: 'json',
      children: TRACK,
      items: TRACK.fields,
      writable: 'always',
      changes: ['create', 'update', 'remove'],
      restGiven: 'tracks_attributes',
      maxLength: 4,
      description: 'Its tracks, in their order.',
    },
    createdAt: { type: 'timestamp', description: 'When the playlist was created.' },
    updatedAt: { type: 'timestamp', description: 'When the playlist was last changed.' },
  },
  filters: { id: { unique: true } },
  sorts: ['updatedAt'],
});

const track = describe({
  ...TRACK,
  number: 98n,
  parent: playlist,
  plural: 'trackList',
  path: 'tracks',
  members: 'playlists/tracks',
  scope: 'store',
  verbs: ['create', 'update', 'remove', 'reorder'],
  most: 4,
  events: ['created', 'updated', 'deleted'],
  wrapper: 'playlists_track',
  topic: 'playlists/track',
  description: 'A track of a playlist.',
  filters: { id: { unique: true } },
  sorts: ['updatedAt'],
});

const LINE = {
  type: 'ReceiptLine',
  title: 'Receipt line',
  table: 'receipt_lines' as 'tags',
  fields: {
    ...IDS,
    receiptId: { type: 'int8', description: 'The integer id of its receipt.' },
    quantity: { type: 'int4', writable: 'at_creation', required: true, description: 'How many.' },
  },
} as const;

const receipt = describe({
  type: 'Receipt',
  title: 'Receipt',
  table: 'receipts' as 'tags',
  number: 95n,
  parent: contact,
  plural: 'receipts',
  path: 'receipts',
  members: 'contacts/receipts',
  scope: 'contacts',
  verbs: ['create', 'update', 'remove'],
  events: ['created'],
  wrapper: 'contacts_receipt',
  topic: 'contacts/receipt',
  description: 'What a contact got.',
  fields: {
    ...IDS,
    contactId: { type: 'int8', description: 'The integer id of its contact.' },
    note: { type: 'text', nullable: true, writable: 'always', personal: true, description: 'A note.' },
    lines: {
      type: 'json',
      children: LINE,
      items: LINE.fields,
      writable: 'at_creation',
      restGiven: 'lines_attributes',
      required: true,
      maxLength: 3,
      description: 'What is on it.',
    },
    createdAt: { type: 'timestamp', description: 'When the receipt was created.' },
    updatedAt: { type: 'timestamp', description: 'When the receipt was last changed.' },
  },
  sorts: ['updatedAt'],
});

const receiptLine = describe({
  ...LINE,
  number: 96n,
  parent: receipt,
  scope: 'contacts',
  most: 3,
  description: 'A line of a receipt.',
});

/** In the order of the list of nouns. */
export const MADE_UP = [playlist, track, receipt, receiptLine];

const ids = (name: string, number: bigint) => `
  create sequence ${name}_id_seq;
  create table ${name} (
    id bigint not null default draw_id(${number}, '${name}_id_seq'),
    public_id text not null generated always as (public_id(${number}, id)) stored,
    workspace_id bigint not null,
    created_at timestamptz(3) not null default current_timestamp,
    updated_at timestamptz(3) not null default current_timestamp,
    row_version integer not null default 1,
    constraint ${name}_pkey primary key (workspace_id, id)
  );
  alter sequence ${name}_id_seq owned by ${name}.id;
  create index ${name}_id_idx on ${name} using hash (id);`;

const below = (name: string, column: string, parents: string) => `
  alter table ${name} add column ${column} bigint not null;
  alter table ${name} add constraint ${name}_workspace_id_${column}_fkey foreign key (workspace_id, ${column})
      references ${parents} (workspace_id, id) on delete cascade;
  create index ${name}_workspace_id_${column}_id_idx on ${name} (workspace_id, ${column}, id);
  create index ${name}_workspace_id_${column}_updated_at_id_idx on ${name} (workspace_id, ${column}, updated_at, id);`;

const TABLES = [
  `${ids('playlists', 97n)}
  alter table playlists add column name text not null;
  alter table playlists add constraint playlists_workspace_id_fkey foreign key (workspace_id) references workspaces (id) on delete restrict;
  create index playlists_workspace_id_updated_at_id_idx on playlists (workspace_id, updated_at, id);`,
  `${ids('tracks', 98n)} ${below('tracks', 'playlist_id', 'playlists')}
  alter table tracks add column title text not null, add column code text, add column price numeric,
    add column rating integer not null constraint tracks_rating_check check (rating between 1 and 5),
    add column currency text not null, add column funnel_id bigint, add column cover_id bigint, add column position integer not null;
  alter table tracks add constraint tracks_workspace_id_code_key unique (workspace_id, code);
  alter table tracks add constraint tracks_workspace_id_funnel_id_fkey foreign key (workspace_id, funnel_id)
      references funnels (workspace_id, id) on delete restrict;
  alter table tracks add constraint tracks_workspace_id_cover_id_fkey foreign key (workspace_id, cover_id)
      references images (workspace_id, id) on delete restrict;
  create index tracks_workspace_id_playlist_id_position_idx on tracks (workspace_id, playlist_id, position);`,
  `${ids('receipts', 95n)} ${below('receipts', 'contact_id', 'contacts')}
  alter table receipts add column note text;`,
  `${ids('receipt_lines', 96n)} ${below('receipt_lines', 'receipt_id', 'receipts')}
  alter table receipt_lines add column quantity integer not null;`,
];

/** Creates their tables. */
export async function createMadeUp(pool: pg.Pool): Promise<void> {
  for (const [index, { table, number }] of MADE_UP.entries()) {
    // One by one: Citus sends the whole text to its nodes.
    for (const statement of (TABLES[index] ?? '').split(/;\s*/).filter(Boolean)) await pool.query(statement);
    await pool.query(`call open_to_tenants('${table}', 'select, insert, update, delete')`);
    await pool.query(`call list_by_time('${table}', ${number})`);
  }
}
