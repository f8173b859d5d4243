// The custom scalars: BigInt, DateTime and JSON, and scalars for text of a certain format, if a noun has a field of that format.
import { GraphQLError, Kind, type ValueNode } from 'graphql';
import { typeOf } from '../resources/description/field-types.ts';
import type { Fields } from '../resources/description/fields.ts';
import { toInteger } from '../rows/json.ts';
import { builder, defineOnce } from './builder.ts';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

/** Parses a literal as text. @throws GraphQLError at the place of the literal @param parse throws GraphQLError for what it does not take */
function parseText<T>(node: ValueNode, parse: (text: unknown) => T): T {
  try {
    return parse(node.kind === Kind.STRING ? node.value : undefined);
  } catch (error) {
    throw error instanceof GraphQLError ? new GraphQLError(error.message, { nodes: node }) : error;
  }
}

/** @throws GraphQLError for what is not the text of a 64-bit integer */
function parseInteger(text: unknown): bigint {
  const value = typeof text === 'string' && /^-?\d{1,40}$/.test(text) ? BigInt(text) : null;
  if (value === null || value < MIN || value > MAX) {
    throw new GraphQLError('BigInt must be a 64-bit integer, or its digits as a string.');
  }
  return value;
}

builder.scalarType('BigInt', {
  description:
    'A 64-bit integer. In answers it is a JSON integer: a client that parses JSON numbers as floating point loses precision beyond 2^53. As input, send an integer or, beyond 2^53, its digits as a string.',
  serialize: toInteger,
  parseValue(value) {
    if (typeof value === 'number' && !Number.isSafeInteger(value)) {
      throw new GraphQLError(
        'BigInt beyond 2^53 must be sent as a string of digits. Otherwise it would be rounded.',
      );
    }
    return parseInteger(typeof value === 'string' ? value : String(value));
  },
  parseLiteral(node) {
    return parseText(node.kind === Kind.INT ? { ...node, kind: Kind.STRING } : node, parseInteger);
  },
});

builder.scalarType('DateTime', {
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time',
  description: 'A point in time as ISO 8601 text, in UTC with milliseconds: `2026-01-31T09:30:00.000Z`.',
  serialize: (value) => (typeof value === 'string' ? value : value.toISOString()),
  parseValue: parseTime,
  parseLiteral: (node) => parseText(node, parseTime),
});

/** The service validates the content. */
function parseTime(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new GraphQLError('DateTime must be text such as 2026-01-31T09:30:00.000Z.');
}

builder.scalarType('JSON', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  description: 'Any JSON value: text, a number, true or false, null, a list or an object.',
  serialize: toExactJson,
});

const TEXTS: ReadonlyMap<string, string> = new Map([
  [
    'Decimal',
    'An exact decimal number as text, such as `12.50`: at most 15 digits before the point and 9 after it. Amounts of money have the decimal places of their currency.',
  ],
  ['CurrencyCode', 'The code of a currency (ISO 4217): `EUR`.'],
  ['Date', 'A calendar date as ISO 8601 text, without time and time zone: `2026-01-31`.'],
]);

/** The specifications of those that have a published one. */
const SPECIFIED_BY: Readonly<Record<string, string | undefined>> = {
  CurrencyCode: 'https://www.iso.org/iso-4217-currency-codes.html',
  Date: 'https://scalars.graphql.org/chillicream/local-date.html',
};

/** Defines the scalars for text of a certain format that these fields need, so that the schema has no unused ones. */
export function defineScalarsOf(fields: Fields): void {
  for (const { type } of Object.values(fields)) {
    const { scalar } = typeOf(type);
    const description = TEXTS.get(scalar);
    if (description === undefined) continue;
    const specifiedByURL = SPECIFIED_BY[scalar];
    // The service validates the format.
    const parse = (value: unknown) => {
      if (typeof value === 'string') return value;
      throw new GraphQLError(`${scalar} must be text.`);
    };
    defineOnce(scalar, () =>
      builder.scalarType(scalar as 'CurrencyCode' | 'Decimal' | 'Date', {
        description,
        ...(specifiedByURL !== undefined && { specifiedByURL }),
        serialize: String,
        parseValue: parse,
        parseLiteral: (node) => parseText(node, parse),
      }),
    );
  }
}

/** A JSON value with all digits of its 64-bit integers. */
function toExactJson(value: unknown): unknown {
  if (typeof value === 'bigint') return toInteger(value);
  if (Array.isArray(value)) return value.map(toExactJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toExactJson(member)]));
}
