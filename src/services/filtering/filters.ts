// Parses the filters of lists: untrusted values, checked against the description of a noun. Pure.
import { invalid, mustBe, parseAll } from '../../errors.ts';
import type { FilterValues } from '../../pagination.ts';
import { type Form, oneOf, typeOf } from '../../resources/description/field-types.ts';
import { type FilterForm, filtersOf, rangesOf } from '../../resources/description/lists.ts';
import { isStorable } from '../../rows/storable.ts';
import { type PublicIdTable, parseId } from '../../store/sql/public-ids.ts';

/** The values of each filter, by property. A row matches a filter that lists its value. */
export type FilterInput = Readonly<Record<string, readonly (string | number | boolean)[] | undefined>>;

/** The maximum number of values of one filter. */
export const MAX_FILTER_VALUES = 100;
const MAX_TEXT_CHARS = 1_000;

/**
 * Parses the filters of a noun's list.
 * @param nameOf the client's name for the filter of a property
 * @throws AppError `invalid` blaming each filter that has a bad value, or too many
 */
export function parseFilters(
  resource: Parameters<typeof filtersOf>[0],
  given: FilterInput,
  nameOf: (property: string) => string,
): FilterValues {
  const forms = filtersOf(resource).filter(({ property }) => given[property] !== undefined);
  return parseAll(
    Object.fromEntries(
      forms.map((form) => [
        form.property,
        () => parseValues(form, given[form.property] ?? [], nameOf(form.property)),
      ]),
    ),
  );
}

/** The ends of ranges as clients send them, by property. */
export type RangeInput = Readonly<
  Record<string, { readonly from?: string | undefined; readonly to?: string | undefined } | undefined>
>;

/**
 * Parses ranges of times. A missing end is open.
 * @param nameOf the client's name for an end of the range of a property
 * @throws AppError `invalid` blaming each end that is not a time
 */
export function parseRanges(
  resource: Parameters<typeof rangesOf>[0],
  given: RangeInput,
  nameOf: (property: string, end: 'from' | 'to') => string,
): FilterValues {
  const ends = rangesOf(resource).flatMap(({ property }) =>
    (['from', 'to'] as const).flatMap((end) => {
      const text = given[property]?.[end];
      return text === undefined ? [] : [{ property, end, text }];
    }),
  );
  const times = parseAll(
    Object.fromEntries(
      ends.map(({ property, end, text }) => [
        `${property}.${end}`,
        () => parseEnd(text, nameOf(property, end)),
      ]),
    ),
  ) as Readonly<Record<string, string>>;
  return Object.fromEntries(
    ends.map(({ property }) => [
      property,
      [times[`${property}.from`] ?? '-infinity', times[`${property}.to`] ?? 'infinity'],
    ]),
  );
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Parses a time. A day means its first moment in UTC. */
function parseEnd(text: string, name: string): string {
  const { expected, parse } = typeOf('timestamp') as Form<Date>;
  const time = parse(DAY.test(text) ? `${text}T00:00:00Z` : text);
  if (time === undefined) throw invalid(name, mustBe(expected));
  return time.toISOString();
}

function parseValues(form: FilterForm, given: readonly (string | number | boolean)[], name: string) {
  if (given.length > MAX_FILTER_VALUES)
    throw invalid(name, { code: 'too_many', message: `can have at most ${MAX_FILTER_VALUES} values` });
  const { expected, parse } = formOf(form);
  const values = given.map(parse);
  if (values.includes(undefined))
    throw invalid(name, { code: 'invalid_format', message: `Each value of ${name} must be ${expected}.` });
  return [...new Set(values.filter((value) => value !== undefined))];
}

type FilterValue = bigint | string | boolean;

/** The form of a filter's values. Values from a query string are always text. */
function formOf({ type, values, idsOf, mayBeEmpty }: FilterForm): Form<FilterValue> {
  if (values !== undefined) return oneOf(values);
  if (idsOf !== undefined)
    return {
      expected: 'an integer or public id',
      parse: (value) => parseId(idsOf.table as PublicIdTable, String(value)) ?? undefined,
    };
  if (type === 'bool') return TRUE_OR_FALSE;
  if (type === 'int4') return WHOLE_NUMBER;
  if (type !== 'text') return typeOf(type) as Form<string>;
  return mayBeEmpty ? TEXT_OR_EMPTY : TEXT;
}

const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

const TRUE_OR_FALSE: Form<boolean> = {
  expected: 'true or false, or 1 or 0',
  parse: (value) => BOOLEANS.get(String(value)),
};

const MAX_INT4 = 2 ** 31 - 1;

const WHOLE_NUMBER: Form<string> = {
  expected: `a whole number of at most ${MAX_INT4}`,
  parse: (value) =>
    /^\d{1,10}$/.test(String(value)) && Number(value) <= MAX_INT4 ? String(value) : undefined,
};

const TEXT: Form<string> = {
  expected: `text of 1 to ${MAX_TEXT_CHARS} characters without NUL`,
  parse: (value) =>
    typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT_CHARS && isStorable(value)
      ? value
      : undefined,
};

const TEXT_OR_EMPTY: Form<string> = {
  expected: `text of at most ${MAX_TEXT_CHARS} characters without NUL`,
  parse: (value) => (value === '' ? '' : TEXT.parse(value)),
};
