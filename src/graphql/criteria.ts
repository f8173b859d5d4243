// The criteria of saved filters: their words are enums, and a value is one member of an object, by the kind of its attribute.
import { invalid, REQUIRED } from '../errors.ts';
import type { Form } from '../resources/description/field-types.ts';
import type { Fields } from '../resources/description/fields.ts';
import { graphqlTypeNameOf, withArticle } from '../resources/description/names.ts';
import {
  type AttributeKind,
  REFINE_ATTRIBUTES,
  type RefineAttribute,
} from '../resources/refine-attributes.ts';
import type { Criterion, CriterionForms } from '../resources/refine-filters.ts';
import { FILTER_ATTRIBUTES, FILTER_CLAUSES, type Words } from '../resources/refine-words.ts';
import { parseRef } from '../services/reading/refs.ts';
import { builder } from './builder.ts';
import { closedSetOf, defineEnum, messageWithNames } from './closed-sets.ts';
import { assumedValues } from './field-options.ts';
import { decodeGlobalId, encodeGlobalId } from './global-ids.ts';
import { objectType } from './resource-fields.ts';
import { TimeRangeInput } from './time-ranges.ts';

type Members = Readonly<Record<string, unknown>>;

const textsOf = (words: Words, member: 'name' | 'description') =>
  Object.fromEntries(Object.entries(words).map(([value, word]) => [value, word[member]]));
const enumOf = (name: string, description: string, words: Words) =>
  defineEnum<string>(name, description, textsOf(words, 'description'), textsOf(words, 'name'));

const FilterAttribute = enumOf(
  'FilterAttribute',
  'What a criterion compares. Each class of filters has some of them.',
  FILTER_ATTRIBUTES,
);
const FilterClause = enumOf(
  'FilterClause',
  'How a criterion compares. Each attribute has some of them.',
  FILTER_CLAUSES,
);
const RelativeDirection = defineEnum('RelativeDirection', 'Before or after the present.', {
  ago: 'Before now.',
  from_now: 'After now.',
});

/** The attributes with a name, one for each class that has it. They are of one kind. */
const attributesNamed = (name: string): RefineAttribute[] =>
  Object.values(REFINE_ATTRIBUTES).flatMap((of) => of[name] ?? []);

/** Objects inside values, by their types. */
const PARTS = {
  AmountRange: {
    from: { type: 'decimal', description: 'The smallest amount, included.' },
    to: { type: 'decimal', description: 'The largest amount, included.' },
  },
  DayRange: {
    from: { type: 'date', description: 'The first day, in UTC.' },
    to: { type: 'date', description: 'The last day, included.' },
  },
  TimeRange: {
    from: { type: 'timestamp', description: 'The start of the range, included.' },
    to: { type: 'timestamp', description: 'The end of the range, excluded.' },
  },
  RelativeDays: { days: { type: 'int4', description: 'The number of days, at most 99999.' } },
} as const satisfies Record<string, Fields>;
type Part = keyof typeof PARTS;

const ABOUT_PARTS: Readonly<Record<Part, string>> = {
  AmountRange: 'A range of amounts.',
  DayRange: 'A range of days.',
  TimeRange: 'A range of times.',
  RelativeDays: 'A number of days before or after the time at which the filter is used.',
};

const SCALARS: Readonly<Record<string, 'Decimal' | 'Date' | 'DateTime'>> = {
  decimal: 'Decimal',
  date: 'Date',
  timestamp: 'DateTime',
};

const DIRECTION = 'Whether the days are before or after now.';
const partTypes = Object.fromEntries(
  Object.entries(PARTS).map(([name, fields]) => [
    name,
    objectType(name, ABOUT_PARTS[name as Part], fields as Fields, (t) =>
      name === 'RelativeDays'
        ? {
            direction: t.field({
              type: RelativeDirection,
              description: DIRECTION,
              resolve: (row) => (row as unknown as { direction: 'ago' | 'from_now' }).direction,
            }),
          }
        : {},
    ),
  ]),
);
/** Filters have the input of times, too (time-ranges.ts). */
const { TimeRange: _, ...OWN_PARTS } = PARTS;
const ownInputs = Object.fromEntries(
  Object.entries(OWN_PARTS).map(([name, fields]) => [
    name,
    builder.inputType(`${name}Input`, {
      description: ABOUT_PARTS[name as Part],
      fields: (t) => ({
        ...Object.fromEntries(
          Object.entries<Fields[string]>(fields).map(([member, { type, description }]) => [
            member,
            t.field({ type: SCALARS[type] ?? 'Int', required: true, description }),
          ]),
        ),
        ...(name === 'RelativeDays' && {
          direction: t.field({ type: RelativeDirection, required: true, description: DIRECTION }),
        }),
      }),
    }),
  ]),
);
const partInputs: Readonly<Record<string, unknown>> = { ...ownInputs, TimeRange: TimeRangeInput };

/** One member of a value. */
interface Member {
  readonly kinds: readonly AttributeKind[];
  /** A scalar, the name of a part, or the attribute whose closed list of words the values are from. */
  readonly type:
    | 'String'
    | 'Boolean'
    | 'ID'
    | 'Decimal'
    | 'Date'
    | 'DateTime'
    | Part
    | { readonly of: string };
  readonly isList?: true;
  readonly description: string;
  /** What the value must have, though its type leaves it open. */
  readonly needs?: readonly string[];
  toStored(value: never): unknown;
  /** undefined for a value in another form. */
  fromStored(stored: unknown, of: RefineAttribute): unknown;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const same = (value: unknown) => value;
/** A range whose ends are stored as they are. */
const rangeOf = (isEnd: (value: unknown) => boolean) => ({
  toStored: ({ from, to }: Members) => [from, to],
  fromStored(stored: unknown) {
    const [from, to, ...others] = Array.isArray(stored) ? stored : [];
    return others.length === 0 && isEnd(from) && isEnd(to)
      ? { from: String(from), to: String(to) }
      : undefined;
  },
});
/** Criteria store the last millisecond of a range of times, GraphQL excludes the end. */
const addMs = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();
const isText = (value: unknown) => typeof value === 'string';
const isDay = (value: unknown) => isText(value) && DAY.test(String(value));
const isTime = (value: unknown) => isText(value) && !DAY.test(String(value));
const isNumber = (value: unknown) => ['string', 'number', 'bigint'].includes(typeof value);
const when = (is: (value: unknown) => boolean) => (value: unknown) => (is(value) ? String(value) : undefined);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

const words = (attribute: string, things: string): Member => ({
  kinds: [],
  type: { of: attribute },
  isList: true,
  description: `For ${FILTER_ATTRIBUTES[attribute]?.name.toUpperCase()}: ${things}.`,
  toStored: same,
  fromStored: (stored, { values = [] }) => listOf(stored).filter((one) => values.includes(one as string)),
});

const MEMBERS: Readonly<Record<string, Member>> = {
  text: {
    ...{ kinds: ['text', 'word'], type: 'String', description: 'The text to compare with.' },
    ...{ toStored: same, fromStored: when(isText) },
  },
  texts: {
    ...{ kinds: ['text', 'word'], type: 'String', isList: true, description: 'Texts, for IN and NOT_IN.' },
    toStored: same,
    fromStored: (stored) => (Array.isArray(stored) ? stored.filter(isText) : undefined),
  },
  isTrue: {
    ...{ kinds: ['flag'], type: 'Boolean', description: 'True or false.' },
    toStored: same,
    fromStored: (stored) => ['true', '1'].includes(String(stored)),
  },
  ids: {
    ...{
      kinds: ['ids'],
      type: 'ID',
      isList: true,
      description: 'The global ids of objects: one, or several for IN and NOT_IN.',
    },
    toStored: same,
    fromStored: (stored, { idsOf }) =>
      idsOf === undefined
        ? undefined
        : listOf(stored).map((id) =>
            encodeGlobalId(graphqlTypeNameOf(idsOf), parseRef(idsOf.title, idsOf.table as never, String(id))),
          ),
  },
  amount: {
    ...{ kinds: ['amount'], type: 'Decimal', description: 'An amount, in the currency of each object.' },
    ...{ toStored: same, fromStored: when(isNumber) },
  },
  amounts: {
    ...{
      kinds: ['amount'],
      type: 'AmountRange',
      description: 'A range of amounts, for BETWEEN and NOT_BETWEEN.',
    },
    ...rangeOf(isNumber),
  },
  day: {
    ...{ kinds: ['date'], type: 'Date', description: 'A day, in UTC.' },
    ...{ toStored: same, fromStored: when(isDay) },
  },
  time: {
    ...{ kinds: ['date'], type: 'DateTime', description: 'The time to compare with.' },
    ...{ toStored: same, fromStored: when(isTime) },
  },
  days: {
    ...{ kinds: ['date'], type: 'DayRange', description: 'A range of days, for BETWEEN and NOT_BETWEEN.' },
    ...rangeOf(isDay),
  },
  times: {
    kinds: ['date'],
    type: 'TimeRange',
    description: 'A range of times with both ends, for BETWEEN and NOT_BETWEEN.',
    needs: ['from', 'to'],
    toStored: ({ from, to }: Members) => [from, addMs(String(to), -1)],
    fromStored(stored) {
      const [from, last, ...others] = Array.isArray(stored) ? stored : [];
      if (others.length > 0 || !isTime(from) || !isTime(last)) return undefined;
      return { from: String(from), to: addMs(String(last), 1) };
    },
  },
  relative: {
    ...{ kinds: ['date'], type: 'RelativeDays', description: 'Days before or after now.' },
    toStored: ({ days, direction }: Members) => ({ days, modifier: direction }),
    fromStored(stored) {
      const { days, modifier } = (stored ?? {}) as Members;
      return days === undefined ? undefined : { days: Number(days), direction: modifier };
    },
  },
  billingStatuses: words('billing_status', 'billing statuses of orders'),
  serviceStatuses: words('service_status', 'service statuses of orders'),
  orderTypes: words('order_type', 'types of orders'),
};

/** The members that the value of an attribute may have. */
function membersOf(name: string, { kind, values }: RefineAttribute): [string, Member][] {
  return Object.entries(MEMBERS).filter(([, { kinds, type }]) =>
    values === undefined ? kinds.includes(kind) : typeof type === 'object' && type.of === name,
  );
}

/** The type of a member, an enum for a closed list. */
function typeOfMember({ type }: Member, parts: Readonly<Record<string, unknown>>): unknown {
  if (typeof type === 'object') return closedSetOf({ values: attributesNamed(type.of)[0]?.values })?.ref;
  return parts[type] ?? type;
}

const FilterCriterionValueInput = builder.inputType('FilterCriterionValueInput', {
  description: 'The value of a criterion: the member that fits its attribute.',
  isOneOf: true,
  fields: (t) =>
    Object.fromEntries(
      Object.entries(MEMBERS).map(([name, member]) => {
        const type = typeOfMember(member, partInputs);
        const { description } = member;
        return [name, t.field({ type: (member.isList ? [type] : type) as 'String', description })];
      }),
    ),
});

/** The input of one criterion. */
export const FilterCriterionInput = builder.inputType('FilterCriterionInput', {
  description: 'One condition of a filter: what is compared, how, and with which value.',
  fields: (t) => ({
    attribute: t.field({ type: FilterAttribute, required: true, description: 'What is compared.' }),
    clause: t.field({ type: FilterClause, required: true, description: 'How it is compared.' }),
    value: t.field({
      type: FilterCriterionValueInput,
      description: 'What it is compared with. None for IS_SET and IS_NOT_SET.',
    }),
  }),
});

/** A criterion in the form of REST. @param path its place in the input @throws AppError `invalid` for a value of another kind of attribute */
export function toCriterion({ attribute, clause, value }: Members, path: string): Members {
  const [named] = attributesNamed(String(attribute));
  const [only] = Object.entries((value ?? {}) as Members);
  const [member, given] = only ?? [];
  if (named === undefined || member === undefined) return { attribute, clause, value: null };
  const members = membersOf(String(attribute), named);
  const found = members.find(([name]) => name === member)?.[1];
  if (found === undefined) {
    const name = FILTER_ATTRIBUTES[String(attribute)]?.name.toUpperCase();
    const message = `must be given as ${members.map(([one]) => one).join(' or ')} for ${name}`;
    throw invalid(`${path}.value`, { code: 'invalid_format', message });
  }
  const missing = found.needs?.find((name) => (given as Members)[name] == null);
  if (missing !== undefined) throw invalid(`${path}.value.${member}.${missing}`, REQUIRED);
  const stored = found.toStored(given as never);
  const isOne = Array.isArray(given) && given.length === 1 && clause !== 'in' && clause !== 'nin';
  return { attribute, clause, value: isOne ? (stored as unknown[])[0] : stored };
}

/** How clients of GraphQL write criteria, and read of them in errors. */
export const CRITERION_FORMS: CriterionForms = {
  relative: '0 to 99999 days before or after now',
  word(stored) {
    const word = FILTER_ATTRIBUTES[stored] ?? FILTER_CLAUSES[stored];
    if (word !== undefined) return word.name.toUpperCase();
    const lists = Object.values(REFINE_ATTRIBUTES).flatMap((of) =>
      Object.values(of).map(({ values }) => values),
    );
    const list = lists.find((values) => values?.includes(stored));
    return list === undefined ? stored : messageWithNames(stored, list);
  },
  hasAttribute: (name) => Object.hasOwn(FILTER_ATTRIBUTES, name),
  idOf(noun): Form<bigint | string> {
    const type = noun && graphqlTypeNameOf(noun);
    return {
      expected: `the global id of ${type === undefined ? 'an object' : withArticle(type)}`,
      parse(value) {
        const decoded = decodeGlobalId(String(value));
        return decoded !== null && (type === undefined || decoded.typeName === type) ? decoded.id : undefined;
      },
    };
  },
};

const FilterCriterionValue = objectType(
  'FilterCriterionValue',
  'The value of a criterion: one of the members, by the kind of its attribute.',
  {},
  (t) =>
    Object.fromEntries(
      Object.entries(MEMBERS).map(([name, member]) => {
        const type = typeOfMember(member, partTypes);
        return [
          name,
          // Without a resolver, so that the limit on the answer counts its bytes.
          t.expose(
            name as never,
            {
              type: (member.isList ? [type] : type) as 'String',
              nullable: true,
              description: member.description,
              ...(member.isList && { rows: assumedValues() }),
            } as never,
          ),
        ];
      }),
    ),
);

/** The value of a criterion as an object with one member; null without a value, and for an attribute that there is no more. */
function shownValue({ attribute, value }: Criterion, filterClass: string): Members | null {
  const of = REFINE_ATTRIBUTES[filterClass]?.[attribute];
  if (of?.property === undefined || value == null) return null;
  for (const [name, member] of membersOf(attribute, of)) {
    const shown = member.fromStored(value, of);
    if (shown !== undefined) return { [name]: shown };
  }
  return null;
}

const ONLY_KNOWN =
  'Null for one that only REST has, because no object has such a value, or that an earlier version had.';

/** The type of a criterion in answers. */
export const FilterCriterion = objectType<Record<never, never>>(
  'FilterCriterion',
  'One condition of a saved filter.',
  {},
  (t) => ({
    attribute: t.expose(
      'attribute' as never,
      { type: FilterAttribute, nullable: true, description: `What is compared. ${ONLY_KNOWN}` } as never,
    ),
    clause: t.expose(
      'clause' as never,
      { type: FilterClause, nullable: true, description: `How it is compared. ${ONLY_KNOWN}` } as never,
    ),
    value: t.field({
      type: FilterCriterionValue,
      nullable: true,
      description: 'What it is compared with. Null for IS_SET and IS_NOT_SET.',
      resolve: (row) => (row as ReturnType<typeof shownCriterion>).value,
    }),
  }),
);

/** A stored criterion as answers show it. @param filterClass of its filter */
export function shownCriterion(stored: Criterion, filterClass: string) {
  return {
    attribute: knownWord(FILTER_ATTRIBUTES, stored.attribute),
    clause: knownWord(FILTER_CLAUSES, stored.clause),
    value: shownValue(stored, filterClass),
  };
}

const knownWord = (known: Words, stored: string) => (Object.hasOwn(known, stored) ? stored : null);
