// The pipeline, with its stages in their order.
import { IDS, NAME, OF_WORKSPACE, ORDERED } from '../description/common-fields.ts';
import { describe, type Row } from '../description/resource.ts';
import { workspace } from '../workspaces.ts';

/** The most stages of a pipeline. */
export const MAX_STAGES = 50;
/** The most opportunities whose ids a stage shows. */
export const MAX_OPPORTUNITY_IDS = 500;

/** The currency of a pipeline, and of all opportunities in it. */
const CURRENCY = {
  type: 'currency',
  gatewayOnly: true,
  description: 'The currency of all amounts of the pipeline and of its opportunities (ISO 4217).',
} as const;

const WHAT_COUNTS = 'of its opportunities, without those that are lost';

/** The sum as the public API has it, and the exact amount. */
const TOTAL_VALUE = {
  graphql: false,
  type: 'int8',
  description: `The sum of the values ${WHAT_COUNTS}, rounded to a whole number.`,
} as const;
const TOTAL_AMOUNT = {
  graphqlName: 'totalValue',
  type: 'decimal',
  currency: 'currency',
  gatewayOnly: true,
  description: `The exact sum of the values ${WHAT_COUNTS}.`,
} as const;

const STAGE = {
  type: 'PipelineStage',
  title: 'Stage',
  table: 'pipeline_stages',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    pipelineId: { type: 'int8', description: 'The integer id of its pipeline.' },
    name: { ...NAME, description: 'The name of the stage, such as `Offer sent`.' },
    closeProbability: {
      type: 'number',
      writable: 'always',
      default: 0,
      range: [0, 100],
      mustBe: 'from 0 to 100',
      description: 'How likely an opportunity in the stage is to be won, from 0 to 100 percent.',
    },
    position: {
      ...ORDERED.position,
      writable: 'always',
      rule: 'By default it comes last. Stages with the same position are in the order of their ids.',
    },
    opportunityIds: {
      graphql: false,
      type: 'int8[]',
      maxLength: MAX_OPPORTUNITY_IDS,
      description: `The integer ids of the opportunities in the stage, the oldest first. Only the first ${MAX_OPPORTUNITY_IDS} if there are more: the list of opportunities has all of them.`,
    },
    totalValue: TOTAL_VALUE,
    weightedValue: {
      type: 'decimal',
      currency: 'currency',
      restAsNumber: true,
      description: `The sum of the values ${WHAT_COUNTS}, times the probability of the stage.`,
    },
    currency: { ...CURRENCY, notInParent: true },
    totalAmount: { ...TOTAL_AMOUNT, notInParent: true },
    createdAt: { type: 'timestamp', notInParent: true, description: 'When the stage was created.' },
    updatedAt: { type: 'timestamp', notInParent: true, description: 'When the stage was last changed.' },
  },
} as const;

export const pipeline = describe({
  type: 'Pipeline',
  title: 'Pipeline',
  table: 'pipelines',
  number: 120n,
  parent: workspace,
  plural: 'pipelines',
  path: 'sales/pipelines',
  wrapper: 'sales_pipeline',
  scope: 'sales',
  topic: 'sales/pipeline',
  subjectType: 'Sales::Pipeline',
  verbs: ['create', 'update', 'remove'],
  gatewayOnly: ['remove'],
  description:
    'A way of selling: stages in their order, through which opportunities move. All amounts in it have one currency.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: { ...NAME, description: 'The name of the pipeline.' },
    stageList: {
      graphqlName: 'stages',
      graphql: 'input',
      type: 'json',
      children: STAGE,
      items: STAGE.fields,
      writable: 'always',
      changes: ['create', 'update', 'remove'],
      restName: 'stages',
      restGiven: 'stages_attributes',
      maxLength: MAX_STAGES,
      description: 'The stages of the pipeline, in their order.',
    },
    totalValue: TOTAL_VALUE,
    currency: {
      ...CURRENCY,
      expand: true,
      writable: 'at_creation',
      rule: 'By default the currency of the workspace’s newest price, or `USD` if there is none. It cannot change.',
    },
    totalAmount: { ...TOTAL_AMOUNT, expand: true },
    createdAt: { type: 'timestamp', description: 'When the pipeline was created.' },
    updatedAt: { type: 'timestamp', description: 'When the pipeline or one of its stages was last changed.' },
  },
  filters: { id: { unique: true } },
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['createdAt', 'name'],
});

export const pipelineStage = describe({
  ...STAGE,
  number: 121n,
  parent: pipeline,
  plural: 'stages',
  path: 'stages',
  members: 'sales/pipelines/stages',
  wrapper: 'sales_pipelines_stage',
  scope: 'sales',
  topic: 'sales/pipelines/stage',
  subjectType: 'Sales::Pipelines::Stage',
  verbs: ['create', 'update', 'remove', 'reorder'],
  gatewayOnly: ['reorder'],
  most: MAX_STAGES,
  description:
    'A stage of a pipeline. A stage with opportunities cannot be deleted: move them to another stage first.',
  filters: { id: { unique: true } },
  sorts: ['createdAt', 'updatedAt', 'position'],
  scannedSorts: ['createdAt'],
});

export interface PipelineRow extends Row<typeof pipeline> {}
export interface PipelineStageRow extends Row<typeof pipelineStage> {}
