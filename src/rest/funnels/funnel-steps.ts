// A funnel's workflow tree. `sort_order` is local to its list; the order of the arrays is the order of the flow.
import type { Fields } from '../../resources/description/fields.ts';
import { funnelStep, stepFields } from '../../resources/funnel-steps.ts';
import { funnel } from '../../resources/funnels.ts';
import { type PageOfStep, page } from '../../resources/pages.ts';
import { toRestObject } from '../../rows/resource-writer.ts';
import * as funnelSteps from '../../services/funnels/funnel-steps.ts';
import { variantsOf } from '../../services/funnels/split-tests.ts';
import { type OutputForm, objectOf } from '../responses.ts';
import { type Route, route } from '../route.ts';
import { enumSchema, fieldSchema, objectSchema, type Schema, schemaRef } from '../schemas.ts';

type StepNode = funnelSteps.StepNode;
type Structure = funnelSteps.Structure;

/** The fields of the funnel in a step. */
export const FUNNEL = { id: funnel.fields.id, publicId: funnel.fields.publicId, name: funnel.fields.name };

const { internal: _, ...position } = funnelStep.fields.position;
/** The fields of every step. */
const STEP = {
  id: funnelStep.fields.id,
  publicId: stepFields.publicId,
  name: stepFields.name,
  position: { ...position, restName: 'sort_order' },
} satisfies Fields;

const { id, publicId, name, currentPath } = page.fields;
/** The fields of a page in a workflow. */
export const PAGE_SUMMARY = { id, publicId, name, currentPath };

/** Further fields of a page in the structure. */
const PAGE_PLACE = {
  url: page.fields.url,
  external: page.fields.external,
  sdkToken: {
    type: 'text',
    nullable: true,
    description: 'Always null: pages on other servers need no token.',
  },
} as const satisfies Fields;
const STRUCTURE_PAGE = { ...PAGE_SUMMARY, ...PAGE_PLACE };

const STRUCTURE: OutputForm<Structure> = {
  schema: schemaRef('FunnelStructure'),
  components: structureSchemas,
  write: (structure, out) => out.addText(JSON.stringify(toStructure(structure))),
};

export const funnelStepRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v2/funnels/:id/structure',
    operationId: 'getFunnelStructure',
    summary: 'Gets the complete workflow of a funnel',
    resource: funnel,
    scope: funnelSteps.scope,
    response: objectOf(STRUCTURE, 'The funnel and the tree of its steps.'),
    handle: ({ ctx, params }) => funnelSteps.getStructure(ctx, params.id),
  }),
];

function toStructure({ funnel, steps }: Structure) {
  return { funnel: toRestObject(funnel, FUNNEL), steps: toSteps(steps, null, originOf(funnel)) };
}

/** The origin of the URLs of a funnel and its pages; null without one. */
const originOf = ({ url, currentPath }: Structure['funnel']) => url?.slice(0, -currentPath.length) ?? null;

/** Where the page is. */
const placeOn = (origin: string | null, { currentPath, externalUrl }: PageOfStep) => ({
  url: externalUrl ?? (origin && origin + currentPath),
  external: externalUrl !== null,
  sdkToken: null,
});

/** @param after the step that follows the list. Both branches of a split converge on the step that follows the split */
function toSteps(steps: readonly StepNode[], after: StepNode | null, origin: string | null): object[] {
  return steps.map((step, index) => toStep(step, steps[index + 1] ?? after, origin));
}

function toStep(step: StepNode, next: StepNode | null, origin: string | null): object {
  const common = toRestObject(step, STEP);
  if (step.page !== null)
    return {
      ...common,
      step_type: 'show_page_step',
      show_page_step_id: step.publicId,
      page: {
        ...toRestObject(step.page, PAGE_SUMMARY),
        ...toRestObject(placeOn(origin, step.page), PAGE_PLACE),
      },
    };
  const convergence = { convergence_step_id: next?.publicId ?? null };
  if (step.kind === 'split_test') {
    const variants = variantsOf(step).map(({ weight, steps }) => ({
      weight,
      steps: toSteps(steps, next, origin),
    }));
    return { ...common, step_type: 'split_test_step', ...convergence, variants };
  }
  return {
    ...common,
    step_type: 'conditional_split_step',
    ...convergence,
    branches: [
      { branch: 'matched', steps: toSteps(step.branches?.matched ?? [], next, origin) },
      { branch: 'unmatched', steps: toSteps(step.branches?.unmatched ?? [], next, origin) },
    ],
  };
}

const CONVERGENCE = {
  type: ['string', 'null'],
  description:
    'The `public_id` of the step at which both branches continue, if any. For the last step of a branch, this is the step after the surrounding split.',
};

export const WEIGHT = {
  type: 'json',
  schema: { type: 'integer', minimum: 0, maximum: 100 },
  description: 'The percentage of visitors who see the variant.',
} as const;

/** The schemas of what `toStructure` returns. */
function structureSchemas(): Readonly<Record<string, Schema>> {
  const steps = { type: 'array', items: schemaRef('StructureStep') };
  return {
    FunnelStructure: {
      type: 'object',
      properties: { funnel: objectSchema(FUNNEL), steps },
      required: ['funnel', 'steps'],
    },
    StructureStep: {
      description: 'A step of a workflow: a page, or a split with the steps of its two branches or variants.',
      oneOf: [
        schemaRef('StructurePageStep'),
        schemaRef('StructureSplitStep'),
        schemaRef('StructureSplitTestStep'),
      ],
    },
    StructurePageStep: stepSchema({
      step_type: enumSchema('show_page_step'),
      show_page_step_id: { type: 'string', description: 'The same as `public_id`.' },
      page: objectSchema(STRUCTURE_PAGE),
    }),
    StructureSplitStep: stepSchema({
      step_type: enumSchema('conditional_split_step'),
      convergence_step_id: CONVERGENCE,
      branches: {
        type: 'array',
        description: 'The two branches: first the matched, then the unmatched one.',
        items: {
          type: 'object',
          properties: { branch: enumSchema('matched', 'unmatched'), steps },
          required: ['branch', 'steps'],
        },
      },
    }),
    StructureSplitTestStep: stepSchema({
      step_type: enumSchema('split_test_step'),
      convergence_step_id: CONVERGENCE,
      variants: {
        type: 'array',
        description: 'The two variants: first the left, then the right one.',
        items: {
          type: 'object',
          properties: { weight: fieldSchema(WEIGHT), steps },
          required: ['weight', 'steps'],
        },
      },
    }),
  };
}

function stepSchema(special: Readonly<Record<string, Schema>>): Schema {
  const properties = { ...(objectSchema(STEP)['properties'] as Schema), ...special };
  return { type: 'object', properties, required: Object.keys(properties) };
}
