// The request bodies for conditional splits and split tests.
import { AppError, invalid, mustBe, quoted } from '../../errors.ts';
import type { Fields } from '../../resources/description/fields.ts';
import type { Moment } from '../../resources/description/inputs.ts';
import { restNameOf } from '../../resources/description/names.ts';
import { conditionalSplit, funnelStep, splitTest } from '../../resources/funnel-steps.ts';
import { page } from '../../resources/pages.ts';
import { refineFilter } from '../../resources/refine-filters.ts';
import type { NewSplit, SplitInput } from '../../services/funnels/conditional-splits.ts';
import type { SplitNames } from '../../services/funnels/split-changes.ts';
import type { NewSplitTest, SplitTestInput } from '../../services/funnels/split-tests.ts';
import { ENTRY, onePlaceName, type PlaceNames } from '../../services/funnels/step-places.ts';
import { type Input, isObject, type NewValues, parseFields } from '../../services/input/parse-fields.ts';
import { parsePublicId } from '../../services/reading/refs.ts';
import { bodyOf } from '../body.ts';
import type { Body } from '../route.ts';

const PAGE_ID = {
  type: 'int8',
  nullable: true,
  optional: true,
  idsOf: page,
  restAsText: true,
  description: 'The id of a page that no step shows. It replaces the first page.',
} as const;

const BRANCHES = {
  branches: {
    type: 'jsonb',
    maxLength: 2,
    items: {
      pageId: PAGE_ID,
      pageIds: {
        type: 'int8[]',
        nullable: true,
        optional: true,
        idsOf: page,
        maxLength: 500,
        description:
          'The integer ids of pages that no step shows. They are added at the end. Cannot be combined with `page_id`.',
      },
    },
    description: 'The pages of the branches: first of the matched, then of the unmatched one.',
  },
  condition: {
    type: 'jsonb',
    nullable: true,
    object: {
      filterId: {
        type: 'text',
        nullable: true,
        optional: true,
        idsOf: refineFilter,
        description: 'The public id of the saved filter that decides the branch. Null for no filter.',
      },
    },
    description: 'The condition that decides the branch. Null for no condition.',
  },
} as const satisfies Fields;

const AFTER = {
  showPageStepId: {
    type: 'int8',
    nullable: true,
    idsOf: funnelStep,
    restAsText: true,
    writable: 'at_creation',
    description: 'The step after which to insert the new one.',
  },
} as const satisfies Fields;

const VARIANTS = {
  variants: {
    type: 'jsonb',
    required: true,
    maxLength: 2,
    items: {
      pageId: PAGE_ID,
      weight: {
        type: 'int4',
        nullable: true,
        optional: true,
        description:
          'The percentage of visitors who see the variant. The weights of both variants add up to 100.',
      },
    },
    description: 'The two variants, the left one first.',
  },
} as const satisfies Fields;

const namesOf = (branches: 'branches' | 'variants'): SplitNames & { readonly place: PlaceNames } => ({
  place: onePlaceName('show_page_step_id'),
  filter: 'condition.filter_id',
  branches,
  page: 'page_id',
  pages: 'page_ids',
  pathOf: (index, member) =>
    `${branches}[${index}]${member === undefined ? '' : { page: '.page_id', pages: '.page_ids' }[member]}`,
  weights: {
    name: branches,
    fault: { code: 'out_of_range', message: 'must have weights from 0 to 100 that add up to 100' },
  },
});
const NAMES = namesOf('branches');
const OF_TEST = namesOf('variants');

const NEW_SPLIT = { ...BRANCHES, ...AFTER };
const NEW_TEST = { ...VARIANTS, ...AFTER };

/** A body of these fields. @param toInput makes the input of the service @param moment `change`: missing members keep their values */
function bodyFor<F extends Fields, B extends object>(
  resource: Parameters<typeof bodyOf>[0],
  fields: F,
  name: string,
  toInput: (given: NewValues<F>) => B,
  moment: Moment = 'creation',
): Body<B> {
  const body = bodyOf(resource, 'creation', fields, name);
  const inputs = new WeakMap<B, Input>();
  return {
    ...body,
    given(parsed) {
      const input = inputs.get(parsed);
      return (input && body.given?.(input)) ?? {};
    },
    parse(input) {
      const given = body.parse(input);
      requireKnownMembers(given, fields);
      const parsed = toInput(parseFields(fields, withText(given), moment, resource.mayBeEmpty === true));
      inputs.set(parsed, given);
      return parsed;
    },
  };
}

/** Refuses unknown members of a branch or variant: pages under a misspelled name would be left out silently. @throws AppError `invalid` */
function requireKnownMembers({ members }: Input, fields: Fields): void {
  if (!isObject(members)) return;
  for (const [list, { items }] of Object.entries(fields)) {
    if (items === undefined) continue;
    const known = Object.keys(items).map((property) => restNameOf(property));
    for (const [index, item] of Object.entries(Array.isArray(members[list]) ? members[list] : []))
      for (const member of isObject(item) ? Object.keys(item) : [])
        if (!known.includes(member)) {
          const name = `${list}[${index}].${quoted(member)}`;
          throw invalid(name, {
            code: 'unknown_field',
            message: `Unknown member ${name}. Each of ${list} takes ${known.join(' and ')}.`,
          });
        }
  }
}

/** Converts a numeric filter id to text, so that `filterIdOf` refuses it with its own message. */
function withText(input: Input): Input {
  const { members } = input;
  const condition = isObject(members) ? members['condition'] : undefined;
  const id = isObject(condition) ? condition['filter_id'] : undefined;
  if (!isObject(members) || !isObject(condition) || typeof id !== 'number') return input;
  return { ...input, members: { ...members, condition: { ...condition, filter_id: String(id) } } };
}

/** @throws AppError `invalid` for anything but a public id */
function filterIdOf(text: string | null | undefined): bigint | null | undefined {
  if (text == null) return text;
  const name = NAMES.filter;
  if (/^\d+$/.test(text)) throw invalid(name, mustBe('a stable identifier, not a raw numeric id'));
  try {
    return parsePublicId(refineFilter.title, 'refine_filters', text);
  } catch (error) {
    if (error instanceof AppError)
      throw invalid(name, { code: 'not_found', message: 'not found in this workspace' });
    throw error;
  }
}

type WithoutNulls<T> = { [Property in keyof T]: Exclude<T[Property], null> };

/** In a branch or variant, null counts as missing. */
const withoutNulls = <T extends object>(item: T) =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null)) as WithoutNulls<T>;

type GivenSplit = NewValues<typeof BRANCHES>;

const toSplit = ({ branches, condition }: GivenSplit): SplitInput => ({
  filterId: condition === null ? null : filterIdOf(condition?.filterId),
  branches: branches?.map(withoutNulls),
  names: NAMES,
});

const placeOf = ({ showPageStepId }: { showPageStepId?: bigint | null | undefined }) =>
  showPageStepId == null ? null : { after: showPageStepId };

export const splitCreation: Body<NewSplit> = bodyFor(
  conditionalSplit,
  NEW_SPLIT,
  'ConditionalSplitStepCreation',
  (given) => ({ ...toSplit(given), place: placeOf(given) ?? ENTRY }),
);

export const splitChange: Body<SplitInput> = bodyFor(
  conditionalSplit,
  BRANCHES,
  'ConditionalSplitStepChange',
  toSplit,
  'change',
);

export const testCreation: Body<NewSplitTest> = bodyFor(
  splitTest,
  NEW_TEST,
  'SplitTestStepCreation',
  (given) => ({ variants: given.variants?.map(withoutNulls) ?? [], place: placeOf(given), names: OF_TEST }),
);

export const testChange: Body<SplitTestInput> = bodyFor(
  splitTest,
  VARIANTS,
  'SplitTestStepChange',
  ({ variants = [] }) => ({ variants: variants.map(withoutNulls), names: OF_TEST }),
);
