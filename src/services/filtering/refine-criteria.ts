// Checks the criteria of saved filters, when they are written and again when they are used: the allowed attributes and clauses, and the
// form of values. Pure.
import {
  type Fault,
  type FieldError,
  invalidFields,
  mustBe,
  mustBeId,
  mustBeOneOf,
  NO_ENTRY,
} from '../../errors.ts';
import { FIELD_TYPES, type Form } from '../../resources/description/field-types.ts';
import type { NounTable } from '../../resources/nouns.ts';
import {
  type AttributeKind,
  attributesOf,
  type Clause,
  type RefineAttribute,
} from '../../resources/refine-attributes.ts';
import type { Criterion, CriterionForms } from '../../resources/refine-filters.ts';
import { parseId } from '../../store/sql/public-ids.ts';
import type { RefineCriterion, RefineTest } from '../../store/sql/refined.ts';
import { isObject } from '../input/parse-fields.ts';

/** The maximum number of values of one criterion. */
const MAX_VALUES = 100;
const MAX_TEXT_CHARS = 1_000;
const MAX_ERRORS = 20;

const DAY_MS = 86_400_000;

/** Negated clauses, each with the clause that it negates. */
const NEGATIONS: Readonly<Partial<Record<Clause, Clause>>> = {
  dne: 'eq',
  nin: 'in',
  nbtwn: 'btwn',
  nst: 'st',
};

const IN_REST: CriterionForms = {
  word: (stored) => stored,
  hasAttribute: () => true,
  idOf: (noun) => ({
    expected: 'an integer or public id',
    parse(value) {
      const text = isNumber(value) ? String(value) : value;
      if (typeof text !== 'string') return undefined;
      if (noun !== undefined) return parseId(noun.table as NounTable, text) ?? undefined;
      return /^(?:[1-9]\d{0,18}|[A-Za-z]{6,12})$/.test(text) ? text : undefined;
    },
  }),
  relative: 'days before or after now, such as {"days":"30","modifier":"ago"}',
};

/**
 * Checks criteria.
 * @param filterClass what the filter selects
 * @param now the time from which days are counted
 * @param name the client's name for the list
 * @throws AppError `invalid` blaming the members of each wrong criterion, such as `criteria[1].clause`
 */
export function parseCriteria(
  filterClass: string,
  criteria: readonly Criterion[],
  now: Date,
  name = 'criteria',
  forms: CriterionForms = IN_REST,
): RefineCriterion[] {
  const attributes = attributesOf(filterClass) ?? {};
  const errors: FieldError[] = [];
  const parsed = criteria.flatMap(({ attribute: called, clause, value }, index) => {
    const blame = (member: string, fault: Fault) => {
      errors.push({ ...fault, field: `${name}[${index}].${member}` });
      return [];
    };
    const attribute = Object.hasOwn(attributes, called) ? attributes[called] : undefined;
    if (attribute === undefined) {
      const named = Object.keys(attributes).filter(forms.hasAttribute).map(forms.word);
      return blame('attribute', mustBeOneOf(`one of ${named.join(', ')}`));
    }
    const isNegated = Object.hasOwn(NEGATIONS, clause);
    if (!(attribute.clauses as readonly string[]).includes(clause))
      return blame(
        'clause',
        mustBeOneOf(`one of ${attribute.clauses.map(forms.word).join(', ')} for ${forms.word(called)}`),
      );
    const positive = NEGATIONS[clause as Clause] ?? (clause as Clause);
    const { expected, parse } = testOf(attribute, positive, now, forms);
    const test = parse(value ?? null);
    if (test !== undefined) return [{ attribute, test, isNegated }];
    const fault = (attribute.kind === 'ids' ? mustBeId : mustBe)(`${expected} for ${forms.word(clause)}`);
    return blame('value', value == null ? { ...fault, code: 'required' } : fault);
  });
  if (criteria.length === 0) errors.push({ ...NO_ENTRY, field: name });
  if (errors.length > 0) throw invalidFields(errors.slice(0, MAX_ERRORS));
  return parsed;
}

/** The form of a criterion's value. @param clause one that is not a negation */
function testOf(
  attribute: RefineAttribute,
  clause: Clause,
  now: Date,
  forms: CriterionForms,
): Form<RefineTest> {
  const { kind } = attribute;
  if (clause === 'st')
    return { expected: 'left out', parse: (value) => (value === null ? { kind: 'set' } : undefined) };
  if (kind === 'date') return dateTest(clause, now, forms);
  const form = VALUES[kind](attribute, forms);
  if (kind === 'amount' && clause !== 'eq') return amountTest(clause);
  if (clause === 'sw')
    return {
      expected: form.expected,
      parse(value) {
        const text = form.parse(value);
        return typeof text === 'string' ? { kind: 'prefix', value: text } : undefined;
      },
    };
  const most = clause === 'in' ? MAX_VALUES : 1;
  return {
    expected: clause === 'in' ? `a list of 1 to ${MAX_VALUES} values, each ${form.expected}` : form.expected,
    parse(given) {
      const list = Array.isArray(given) ? given : [given];
      const values = list.map(form.parse).filter((value) => value !== undefined);
      const isGood = list.length >= 1 && list.length <= most && values.length === list.length;
      return isGood ? { kind: 'equal', values: [...new Set(values)] } : undefined;
    },
  };
}

const FLAGS = new Map<unknown, boolean>(
  [true, false].flatMap((flag) =>
    [flag, String(flag), Number(flag), String(Number(flag))].map((form) => [form, flag]),
  ),
);

const TEXT: Form<string> = {
  expected: `text of 1 to ${MAX_TEXT_CHARS} characters`,
  parse: (value) =>
    typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT_CHARS ? value : undefined,
};

/** The store returns a number as a bigint if JavaScript cannot hold it exactly. */
const isNumber = (value: unknown) => typeof value === 'number' || typeof value === 'bigint';

/** Accepts JSON numbers too. */
const AMOUNT: Form<string> = {
  expected: 'an amount, such as "12.50"',
  parse: (value) => FIELD_TYPES.decimal.parse(isNumber(value) ? String(value) : value),
};

const OPERATORS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

function amountTest(clause: Clause): Form<RefineTest> {
  if (clause === 'btwn')
    return {
      expected: `a list of two, the smaller one first, each ${AMOUNT.expected}`,
      parse(value) {
        const [least, most, ...others] = Array.isArray(value) ? value.map(AMOUNT.parse) : [];
        if (least === undefined || most === undefined || others.length > 0) return undefined;
        return Number(least) > Number(most) ? undefined : limits(['>=', least], ['<=', most]);
      },
    };
  const operator = OPERATORS[clause as keyof typeof OPERATORS];
  return {
    expected: AMOUNT.expected,
    parse(value) {
      const amount = AMOUNT.parse(value);
      return amount === undefined ? undefined : limits([operator, amount]);
    },
  };
}

type Limits = Extract<RefineTest, { kind: 'limits' }>['limits'];

const limits = (...limits: Limits): RefineTest => ({ kind: 'limits', limits });

/** The form of one value, by kind. Without `idsOf`, every possible id of an object is accepted. */
const VALUES: Readonly<
  Record<
    Exclude<AttributeKind, 'date'>,
    (of: RefineAttribute, forms: CriterionForms) => Form<string | bigint | boolean>
  >
> = {
  text: () => TEXT,
  word: ({ values }, { word }) =>
    values === undefined
      ? TEXT
      : {
          expected: `one of ${values.map(word).join(', ')}`,
          parse: (value) => values.find((one) => one === value),
        },
  amount: () => AMOUNT,
  flag: () => ({ expected: 'true or false', parse: (value) => FLAGS.get(value) }),
  ids: ({ idsOf }, { idOf }) => idOf(idsOf),
};

/** A span of time, the end excluded: a day, or one millisecond. */
interface Span {
  readonly from: Date;
  readonly before: Date;
}

const addMs = (time: Date, ms: number) => new Date(time.getTime() + ms);

/** One millisecond after the last time that a column can have, in the year 9999. */
const END = Date.parse('9999-12-31T23:59:59.999Z') + 1;

/** The time as text for PostgreSQL: a span that ends with the year 9999 has no end. */
const toText = (time: Date) => (time.getTime() < END ? time.toISOString() : 'infinity');

/** Parses a day in UTC, or a time. */
function parseSpan(value: unknown): Span | undefined {
  const day = FIELD_TYPES.date.parse(value);
  const from = day === undefined ? FIELD_TYPES.timestamp.parse(value) : new Date(`${day}T00:00:00.000Z`);
  return from && { from, before: addMs(from, day === undefined ? 1 : DAY_MS) };
}

/** Parses a number of days before or after now. */
function parseDays(value: unknown, now: Date): { readonly at: Date; readonly isAgo: boolean } | undefined {
  if (!isObject(value)) return undefined;
  const { days, modifier, ...others } = value;
  const isDays = /^\d{1,5}$/.test(String(days)) && ['string', 'number'].includes(typeof days);
  if (!isDays || (modifier !== 'ago' && modifier !== 'from_now') || Object.keys(others).length > 0)
    return undefined;
  const isAgo = modifier === 'ago';
  return { at: addMs(now, (isAgo ? -1 : 1) * Number(days) * DAY_MS), isAgo };
}

const ABSOLUTE = 'a day such as 2026-01-31 or a time such as 2026-01-31T12:00:00Z';

function dateTest(clause: Clause, now: Date, { relative }: CriterionForms): Form<RefineTest> {
  const span = (from: Date | null, before: Date | null) =>
    limits(
      ...(from === null ? [] : [['>=', toText(from)] as const]),
      ...(before === null ? [] : [['<', toText(before)] as const]),
    );
  switch (clause) {
    case 'btwn':
      return {
        expected: `a list of two, the earlier one first, each ${ABSOLUTE}`,
        parse(value) {
          const [first, last, ...others] = Array.isArray(value) ? value.map(parseSpan) : [];
          if (first === undefined || last === undefined || others.length > 0) return undefined;
          return first.from <= last.from ? span(first.from, last.before) : undefined;
        },
      };
    case 'eq':
      return {
        expected: ABSOLUTE,
        parse(value) {
          const at = parseSpan(value);
          return at && span(at.from, at.before);
        },
      };
    case 'exct':
      return {
        expected: relative,
        parse(value) {
          const days = parseDays(value, now);
          const from = days && new Date(Math.floor(days.at.getTime() / DAY_MS) * DAY_MS);
          return from && span(from, addMs(from, DAY_MS));
        },
      };
    default:
      return {
        expected: `${ABSOLUTE}, or ${relative}`,
        parse(value) {
          const days = parseDays(value, now);
          const at = days === undefined ? parseSpan(value) : { from: days.at, before: addMs(days.at, 1) };
          if (at === undefined) return undefined;
          // "More than 30 days ago" is earlier, "less than 30 days ago" is later.
          const isReversed = days?.isAgo === true;
          switch (clause) {
            case 'gte':
              return span(at.from, null);
            case 'lte':
              return span(null, at.before);
            case 'gt':
              return isReversed ? span(null, at.from) : span(at.before, null);
            default:
              return isReversed ? span(at.before, null) : span(null, at.from);
          }
        },
      };
  }
}
