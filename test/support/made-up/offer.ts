// A made-up noun with every type of field, and its table, as a migration would create it.
import type pg from 'pg';
import { contact } from '../../../src/resources/contacts.ts';
import { ARCHIVED, IDS, OF_WORKSPACE } from '../../../src/resources/description/common-fields.ts';
import { describe } from '../../../src/resources/description/resource.ts';
import { funnel } from '../../../src/resources/funnels.ts';
import { page } from '../../../src/resources/pages.ts';
import { workspace } from '../../../src/resources/workspaces.ts';

export const offer = describe({
  type: 'Offer',
  title: 'Offer',
  // A name from the list of nouns, for the compiler.
  table: 'offers' as 'tags',
  number: 99n,
  parent: workspace,
  plural: 'offers',
  path: 'offers',
  scope: 'store',
  verbs: ['create', 'update', 'archive', 'remove'],
  events: ['created', 'updated', 'deleted', 'archived', 'unarchived'],
  wrapper: 'offer',
  description: 'What is offered at a price.',
  kinds: {
    by: 'kind',
    types: {
      single: { type: 'SingleOffer', description: 'An offer that is paid once.' },
      recurring: { type: 'RecurringOffer', description: 'An offer that is paid each month.' },
      trial: { type: 'TrialOffer', description: 'An offer that is tried for some months.' },
    },
  },
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: {
      type: 'text',
      writable: 'always',
      required: true,
      maxLength: 255,
      description: 'What it is called.',
    },
    kind: {
      type: 'text',
      values: ['single', 'recurring', 'trial'],
      valueDescriptions: {
        single: 'The offer is paid once.',
        recurring: 'The offer is paid each month.',
        trial: 'The offer is tried for some months.',
      },
      writable: 'always',
      default: 'single',
      description: 'How it is paid.',
    },
    status: {
      type: 'text',
      values: ['draft', 'open', 'over'],
      valueDescriptions: {
        draft: 'The offer is not open yet.',
        open: 'The offer is open.',
        over: 'The offer has ended.',
      },
      transitions: { draft: ['open', 'over'], open: ['over'] },
      writable: 'always',
      default: 'draft',
      description: 'How far it is.',
    },
    months: {
      type: 'count',
      only: ['recurring', 'trial'],
      nullable: true,
      writable: 'always',
      restAsText: true,
      description: 'How long it lasts.',
    },
    height: { type: 'number', nullable: true, writable: 'always', description: 'In metres.' },
    currency: {
      type: 'currency',
      writable: 'always',
      default: 'EUR',
      description: 'What its amounts are in.',
    },
    amount: {
      type: 'decimal',
      currency: 'currency',
      writable: 'always',
      required: true,
      description: 'What it costs.',
    },
    setupAmount: {
      type: 'decimal',
      currency: 'currency',
      nullable: true,
      writable: 'always',
      description: 'What it costs once.',
    },
    weight: { type: 'decimal', nullable: true, writable: 'always', description: 'In kilograms.' },
    startsOn: { type: 'date', nullable: true, writable: 'always', description: 'The first day of it.' },
    contactId: {
      type: 'int8',
      nullable: true,
      refers: contact,
      writable: 'always',
      description: 'The integer id of the contact who made it.',
    },
    pageId: {
      type: 'int8',
      nullable: true,
      refers: page,
      writable: 'always',
      description: 'The integer id of its page.',
    },
    funnelIds: {
      type: 'int8[]',
      only: ['single'],
      refers: funnel,
      writable: 'always',
      default: [],
      maxLength: 10,
      description: 'The integer ids of the funnels that it is shown in.',
    },
    fullText: {
      type: 'text',
      nullable: true,
      expand: true,
      writable: 'always',
      description: 'All that there is to read of it.',
    },
    terms: {
      type: 'jsonb',
      nullable: true,
      expand: true,
      writable: 'always',
      description: 'Its terms.',
    },
    ...ARCHIVED,
    createdAt: { type: 'timestamp', description: 'When the offer was created.' },
    updatedAt: { type: 'timestamp', description: 'When the offer was last changed.' },
  },
  topic: 'offer',
  filters: {
    id: { unique: true },
    contactId: { index: 'offers_workspace_id_contact_id_id_idx' },
    kind: { index: 'offers_workspace_id_kind_id_idx' },
    archived: { index: 'offers_workspace_id_archived_id_idx' },
    startsOn: { index: 'offers_workspace_id_starts_on_id_idx' },
  },
  sorts: ['updatedAt'],
  lists: [
    {
      under: contact,
      key: 'contactId',
      path: 'offers',
      plural: 'offers',
      indexes: { id: '', contactId: '', kind: '', archived: '', startsOn: '' },
    },
    { under: page, key: 'pageId', plural: 'offers' },
  ],
});

const TABLE = `
  create sequence offers_id_seq;
  create table offers (
    id bigint not null default draw_id(99, 'offers_id_seq'),
    public_id text not null generated always as (public_id(99, id)) stored,
    workspace_id bigint not null,
    name text not null,
    kind text not null,
    status text not null,
    months integer,
    height numeric,
    currency text not null,
    amount numeric not null,
    setup_amount numeric,
    weight numeric,
    starts_on date,
    contact_id bigint,
    page_id bigint,
    funnel_ids bigint[] not null default array[]::bigint[],
    full_text text,
    terms jsonb,
    archived_at timestamptz(3),
    archived boolean not null generated always as (archived_at is not null) stored,
    created_at timestamptz(3) not null default current_timestamp,
    updated_at timestamptz(3) not null default current_timestamp,
    row_version integer not null default 1,
    constraint offers_pkey primary key (workspace_id, id),
    constraint offers_workspace_id_fkey foreign key (workspace_id) references workspaces (id) on delete restrict,
    constraint offers_workspace_id_contact_id_fkey foreign key (workspace_id, contact_id)
      references contacts (workspace_id, id) on delete set null (contact_id),
    constraint offers_workspace_id_page_id_fkey foreign key (workspace_id, page_id)
      references pages (workspace_id, id) on delete set null (page_id)
  );
  alter sequence offers_id_seq owned by offers.id;
  create index offers_id_idx on offers using hash (id);
  create index offers_workspace_id_updated_at_id_idx on offers (workspace_id, updated_at, id);
  create index offers_workspace_id_contact_id_id_idx on offers (workspace_id, contact_id, id);
  create index offers_workspace_id_kind_id_idx on offers (workspace_id, kind, id);
  create index offers_workspace_id_archived_id_idx on offers (workspace_id, archived, id);
  create index offers_workspace_id_starts_on_id_idx on offers (workspace_id, starts_on, id);
`;

/** Creates its table. */
export async function createOffers(pool: pg.Pool): Promise<void> {
  await pool.query(TABLE);
  await pool.query("call open_to_tenants('offers', 'select, insert, update, delete')");
  await pool.query("call list_by_time('offers', 99)");
}
