// The opportunity: a sale that may be made to a contact, in a stage of a pipeline, with notes.
import { contact } from '../contacts.ts';
import { IDS, NAME, OF_WORKSPACE } from '../description/common-fields.ts';
import type { Fields } from '../description/fields.ts';
import { type Action, describe, type Row } from '../description/resource.ts';
import { user } from '../users.ts';
import { workspace } from '../workspaces.ts';
import { pipeline, pipelineStage } from './pipelines.ts';

/** The most notes of an opportunity. All of them are shown with it. */
const MAX_NOTES = 200;

const CONTENT = {
  type: 'text',
  writable: 'always',
  required: true,
  maxLength: 5_000,
  description: 'The text of the note.',
} as const;

const NOTE = {
  createdById: {
    type: 'int8',
    nullable: true,
    idsOf: user,
    graphql: 'input',
    writable: 'always',
    description: 'The integer id of the user who wrote the note, a user of the team.',
    rule: 'By default the user that the credential represents.',
  },
  createdAt: { type: 'timestamp', description: 'When the note was created.' },
  updatedAt: { type: 'timestamp', description: 'When the note was last changed.' },
} as const;

const SUMMARY = {
  ...IDS,
  name: { type: 'text', description: 'The name.' },
} as const;

/** The members that the public API shows of the contact. */
const { emailSuppressionReason: _suppression, isActive: _isActive, ...CONTACT } = contact.fields;

const OUTCOMES = ['won', 'lost', 'closed'] as const;

/** The input of winning and losing. */
const closing = (when: string): Fields => ({
  closedAt: { type: 'timestamp', nullable: true, description: `${when} By default now.` },
});

/** What a client can do with an opportunity besides setting its fields, and the status that it gets. */
export const OPPORTUNITY_ACTIONS = {
  win: {
    summary: 'Wins an opportunity: the contact has bought',
    fields: closing('When it was won.'),
  },
  lose: {
    summary: 'Loses an opportunity, which the sums of its stage no longer count',
    fields: closing('When it was lost.'),
  },
  reopen: { summary: 'Reopens an opportunity that was won, lost or closed' },
} as const satisfies Readonly<Record<string, Action>>;

export const opportunity = describe({
  type: 'Opportunity',
  title: 'Opportunity',
  table: 'opportunities',
  number: 122n,
  parent: workspace,
  plural: 'opportunities',
  path: 'sales/opportunities',
  lists: [
    {
      under: pipeline,
      key: 'pipelineId',
      plural: 'opportunities',
      description: 'The opportunities in all stages of the pipeline.',
      indexes: {
        pipelinesStageId: 'opportunities_workspace_id_pipelines_stage_id_id_idx',
        primaryContactId: 'opportunities_workspace_id_primary_contact_id_id_idx',
      },
    },
    {
      under: pipelineStage,
      key: 'pipelinesStageId',
      plural: 'opportunities',
      description: 'The opportunities in the stage.',
      indexes: { primaryContactId: 'opportunities_workspace_id_primary_contact_id_id_idx' },
    },
    {
      under: contact,
      key: 'primaryContactId',
      plural: 'opportunities',
      description: 'The opportunities of which it is the primary contact.',
      // A contact has few.
      indexes: {
        pipelineId: 'opportunities_workspace_id_primary_contact_id_id_idx',
        pipelinesStageId: 'opportunities_workspace_id_primary_contact_id_id_idx',
        assigneeId: 'opportunities_workspace_id_primary_contact_id_id_idx',
        status: 'opportunities_workspace_id_primary_contact_id_id_idx',
      },
    },
  ],
  wrapper: 'sales_opportunity',
  scope: 'sales',
  topic: 'sales/opportunity',
  subjectType: 'Sales::Opportunity',
  verbs: ['create', 'update', 'remove'],
  actions: OPPORTUNITY_ACTIONS,
  gatewayOnly: Object.keys(OPPORTUNITY_ACTIONS),
  events: ['created', 'updated', 'deleted', 'closed', 'moved_stage'],
  description:
    'A sale that may be made to a contact. It moves through the stages of a pipeline until it is won, lost, or closed without a result.',
  fields: {
    ...IDS,
    name: { ...NAME, personal: true, description: 'What may be sold, such as `Tents for the scouts`.' },
    ...OF_WORKSPACE,
    pipelineId: {
      type: 'int8',
      refers: pipeline,
      restAsText: true,
      description: 'The integer id of the pipeline of its stage.',
      objectDescription: 'The pipeline of its stage.',
    },
    pipelinesStageId: {
      graphqlName: 'stageId',
      type: 'int8',
      refers: pipelineStage,
      writable: 'always',
      required: true,
      description: 'The integer id of its stage.',
      rule: 'Another stage moves the opportunity. It may be of another pipeline, if that has the same currency.',
      objectDescription: 'The stage of the pipeline that the opportunity has reached.',
    },
    primaryContactId: {
      type: 'int8',
      refers: contact,
      writable: 'always',
      required: true,
      handsOver: true,
      description: 'The integer id of the contact to whom the sale may be made.',
      objectDescription: 'The contact to whom the sale may be made.',
    },
    value: {
      type: 'decimal',
      currency: 'currency',
      restAsNumber: true,
      nullable: true,
      writable: 'always',
      range: [0, 999_999_999_999],
      mustBe: 'from 0 to 999999999999',
      description: 'What the sale is worth, in the currency of the pipeline. Null if it is not known.',
    },
    currency: {
      type: 'currency',
      expand: true,
      gatewayOnly: true,
      writable: 'at_creation',
      description: 'The currency of the value (ISO 4217), which is that of the pipeline.',
    },
    status: {
      type: 'text',
      values: ['open', ...OUTCOMES],
      valueDescriptions: {
        open: 'It is not decided yet.',
        won: 'The contact has bought.',
        lost: 'The contact has not bought.',
        closed: 'It was closed without a result.',
      },
      valuesName: 'OpportunityStatus',
      transitions: {
        open: OUTCOMES,
        closed: ['open', 'won', 'lost'],
        won: ['open'],
        lost: ['open'],
      },
      expand: true,
      gatewayOnly: true,
      description: 'Whether the opportunity is open, and how it ended.',
    },
    closedAt: {
      type: 'timestamp',
      nullable: true,
      // GraphQL has mutations for it, which say how it ended.
      graphql: 'output',
      writable: 'always',
      description: 'When the opportunity was won, lost or closed; null if it is open.',
      rule: 'A time closes an open opportunity without a result, and null reopens it.',
    },
    /** So that its event happens once. */
    wasClosed: { type: 'bool', internal: true, description: 'Whether the opportunity was ever closed.' },
    assigneeId: {
      type: 'int8',
      restAsText: true,
      nullable: true,
      idsOf: user,
      graphql: 'input',
      writable: 'always',
      description: 'The integer id of the user who looks after the opportunity, a user of the team.',
    },
    createdAt: { type: 'timestamp', description: 'When the opportunity was created.' },
    updatedAt: {
      type: 'timestamp',
      description: 'When the opportunity or one of its notes was last changed.',
    },
    pipelineSummary: {
      graphql: false,
      type: 'jsonb',
      restName: 'pipeline',
      object: SUMMARY,
      description: 'A summary of the pipeline.',
    },
    stageSummary: {
      graphql: false,
      type: 'jsonb',
      restName: 'pipelines_stage',
      object: SUMMARY,
      description: 'A summary of the stage.',
    },
    contactDetails: {
      graphql: false,
      type: 'jsonb',
      restName: 'primary_contact',
      nullable: true,
      object: CONTACT,
      needs: 'contacts',
      description: 'The contact to whom the sale may be made. Null if the caller may not read contacts.',
    },
    noteList: {
      graphql: false,
      type: 'json',
      restName: 'notes',
      items: { ...IDS, content: CONTENT, ...NOTE },
      maxLength: MAX_NOTES,
      description: 'The notes on the opportunity, the oldest first.',
    },
  },
  filters: {
    id: { unique: true },
    primaryContactId: { index: 'opportunities_workspace_id_primary_contact_id_id_idx' },
    pipelinesStageId: { index: 'opportunities_workspace_id_pipelines_stage_id_id_idx' },
    assigneeId: { index: 'opportunities_workspace_id_assignee_id_id_idx' },
    pipelineId: { index: 'opportunities_workspace_id_pipeline_id_id_idx' },
    status: { index: 'opportunities_workspace_id_status_id_idx', untimed: true, graphqlOnly: true },
  },
  sorts: ['createdAt', 'updatedAt'],
});

export const opportunityNote = describe({
  type: 'OpportunityNote',
  title: 'Note',
  table: 'opportunity_notes',
  number: 123n,
  parent: opportunity,
  plural: 'notes',
  path: 'notes',
  members: 'sales/opportunities/notes',
  wrapper: 'sales_opportunities_note',
  scope: 'sales',
  topic: 'sales/opportunities/note',
  subjectType: 'Sales::Opportunities::Note',
  verbs: ['create', 'update', 'remove'],
  most: MAX_NOTES,
  description: 'A note on an opportunity, such as what was said on the phone.',
  fields: {
    ...IDS,
    opportunityId: { type: 'int8', description: 'The integer id of its opportunity.' },
    content: { ...CONTENT, personal: true },
    ...NOTE,
  },
  filters: {
    id: { unique: true },
    createdById: { index: 'opportunity_notes_workspace_id_opportunity_id_id_idx', untimed: true },
  },
  sorts: ['createdAt', 'updatedAt'],
});

export interface OpportunityRow extends Row<typeof opportunity> {}
