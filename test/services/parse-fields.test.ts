// Untrusted members become properties by a noun's description, or are reported by their REST names.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { contact } from '../../src/resources/contacts.ts';
import type { Fields } from '../../src/resources/description/fields.ts';
import { restNameOf } from '../../src/resources/description/names.ts';
import { refineFilter } from '../../src/resources/refine-filters.ts';
import { webhookEndpoint } from '../../src/resources/webhook-endpoints.ts';
import { parseFields as parseInput } from '../../src/services/input/parse-fields.ts';

/** By the names of REST. */
const parseFields = <F extends Fields>(fields: F, members: unknown) =>
  parseInput(fields, { members, nameOf: restNameOf }, 'change');

const { uuid, anonymous, emailAddress, firstName, isActive, unsubscribedAt, customAttributes } =
  contact.fields;
const CONTACT = { uuid, anonymous, emailAddress, firstName, isActive, unsubscribedAt, customAttributes };
const { conjunction, criteria } = refineFilter.fields;
const FILTER = { conjunction, criteria };
const { eventTypeIds, apiVersion, pageIds } = webhookEndpoint.fields;
const ENDPOINT = { eventTypeIds, apiVersion, pageIds };

function blamed(fields: Fields, input: unknown): string[] {
  try {
    parseFields(fields, input);
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid') return error.errors.map(({ field }) => field);
    throw error;
  }
  return [];
}

test('members are read by their REST names as values of rows', () => {
  const id = '0190cbb0-97ae-7aaa-8000-000000000000';
  expect(
    parseFields(CONTACT, {
      uuid: id,
      anonymous: 1,
      email_address: 'a@example.com',
      is_active: false,
      unsubscribed_at: '2026-01-31T12:00:00.5+02:00',
      custom_attributes: { size: 'L' },
    }),
  ).toEqual({
    uuid: id,
    anonymous: true,
    emailAddress: 'a@example.com',
    isActive: false,
    unsubscribedAt: new Date('2026-01-31T10:00:00.500Z'),
    customAttributes: { size: 'L' },
  });
  expect(parseFields(ENDPOINT, { event_type_ids: ['a.b'], api_version: 2, page_ids: [1, 2] })).toEqual({
    eventTypeIds: ['a.b'],
    apiVersion: 2,
    pageIds: [1n, 2n],
  });
});

test.each([
  [5, 'must be text'],
  ['\0', 'must not contain NUL characters or lone surrogates'],
])('%j is told why it is no name', (first_name, message) => {
  expect(() => parseFields(CONTACT, { first_name })).toThrow(
    expect.objectContaining({ errors: [{ code: 'invalid_format', field: 'first_name', message }] }),
  );
});

test.each([
  [1, null],
  [1_000, null],
  [null, null],
  [0, 'must be from 1 to 1000'],
  [1_001, 'must be from 1 to 1000'],
])('%j is within a range, or is told which', (pace, message) => {
  const { maxDeliveriesPerSecond } = webhookEndpoint.fields;
  const parse = () => parseFields({ maxDeliveriesPerSecond }, { max_deliveries_per_second: pace });
  if (message === null) expect(parse()).toEqual({ maxDeliveriesPerSecond: pace });
  else
    expect(parse).toThrow(
      expect.objectContaining({
        errors: [{ code: 'out_of_range', field: 'max_deliveries_per_second', message }],
      }),
    );
});

test('ids are integers or digits, as large as the column permits', () => {
  const input = { page_ids: [1, '2', '007', '9223372036854775807', 2 ** 53 - 1] };
  expect(parseFields(ENDPOINT, input)).toEqual({ pageIds: [1n, 2n, 7n, 2n ** 63n - 1n, 2n ** 53n - 1n] });
});

test('null clears, absent members are left out, and unknown ones are ignored', () => {
  expect(parseFields(CONTACT, { first_name: null, firstName: 'x', last_name: 'x', id: 'x' })).toEqual({
    firstName: null,
  });
  expect(parseFields(CONTACT, {})).toEqual({});
  const inherited = JSON.parse('{"__proto__":{"first_name":"x"},"constructor":{"first_name":"x"}}');
  expect(parseFields(CONTACT, { ...inherited, first_name: 'y' })).toEqual({ firstName: 'y' });
  expect(blamed(CONTACT, inherited)).toEqual(['body']);
});

describe('null, and "" as a value other than text,', () => {
  const FIELDS = {
    flag: { type: 'bool', description: 'Never null.' },
    count: { type: 'count', nullable: true, default: 1, description: 'May be null.' },
    kind: { type: 'text', values: ['a', 'b'], description: 'One of two.' },
    text: { type: 'text', nullable: true, description: 'Any text.' },
    email: { type: 'text', format: 'email', description: 'An address.' },
    name: { type: 'text', required: true, description: 'Required.' },
    money: { type: 'decimal', refusesNull: true, description: 'Never by mistake.' },
  } as const satisfies Fields;
  const parse = (members: object, moment: 'creation' | 'change') =>
    parseInput(FIELDS, { members, nameOf: restNameOf }, moment);

  test('in a change clear nullable fields, and keep the rest', () => {
    for (const nothing of [null, ''])
      expect(parse({ flag: nothing, count: nothing, kind: nothing }, 'change')).toEqual({ count: null });
    expect(parse({ name: null, text: null }, 'change')).toEqual({ text: null });
    expect(parse({ text: '' }, 'change')).toEqual({ text: '' });
  });

  test('in a new object count as absent, and required fields are refused', () => {
    const given = { name: 'x', flag: null, count: null, kind: '', text: null };
    expect(parse(given, 'creation')).toEqual({ name: 'x', text: null });
    expect(() => parse({ name: null }, 'creation')).toThrow('name is required.');
  });

  test('are refused if the description says so, and "" if it is an invalid value', () => {
    for (const money of [null, ''])
      expect(() => parse({ money }, 'change')).toThrow('money must be a decimal number');
    expect(() => parse({ email: '' }, 'change')).toThrow('email must not be blank.');
  });
});

describe('a body without known members', () => {
  const members = (given: object) => ({ members: given, nameOf: restNameOf });
  const refused = (work: () => unknown) => {
    expect(work).toThrow('Give at least one of these: uuid, anonymous, email_address,');
  };

  test('is refused, except for an empty change, and in a creation that may be empty', () => {
    for (const moment of ['creation', 'change'] as const) {
      refused(() => parseInput(CONTACT, members({ nonsense: 1 }), moment));
      refused(() => parseInput(CONTACT, members({ nonsense: 1 }), moment, true));
      expect(parseInput(CONTACT, members({}), moment, true)).toEqual({});
      refused(() => parseInput(CONTACT, members({}), moment, false));
    }
    refused(() => parseInput(CONTACT, members({}), 'creation'));
    expect(parseInput(CONTACT, members({}), 'change')).toEqual({});
  });

  test('is refused within an object and a list item too, but not next to known members', () => {
    const object = { a: { type: 'text', optional: true, description: 'A.' } } as const;
    const fields: Fields = {
      one: { type: 'jsonb', object, description: 'One.' },
      many: { type: 'jsonb', items: object, description: 'Many.' },
    };
    const parse = (given: object) => parseInput(fields, members(given), 'creation');
    const message = 'Give at least one of these: a.';
    const blaming = (field: string) =>
      expect.objectContaining({ errors: [{ code: 'unknown_field', field, message }] });
    expect(() => parse({ one: { b: 'x' } })).toThrow(blaming('one'));
    expect(() => parse({ many: [{ a: 'x' }, { b: 'x' }] })).toThrow(blaming('many[1]'));
    expect(parse({ one: { a: 'x', b: 'x' }, many: [{}, { a: 'x', b: 'x' }] })).toEqual({
      one: { a: 'x' },
      many: [{}, { a: 'x' }],
    });
  });

  test('is reported after the required members', () => {
    const { url, name } = webhookEndpoint.fields;
    const work = () => parseInput({ url, name }, members({ nonsense: 1 }), 'creation');
    expect(work).toThrow('url is required. name is required. Give at least one of these: url, name.');
  });
});

describe('reports an error of', () => {
  test.each<[string, Fields, object]>([
    ['uuid', CONTACT, { uuid: 'no-uuid' }],
    ['uuid', CONTACT, { uuid: 1 }],
    ['anonymous', CONTACT, { anonymous: true }],
    ['anonymous', CONTACT, { anonymous: 2 }],
    ['is_active', CONTACT, { is_active: 1 }],
    ['email_address', CONTACT, { email_address: 1 }],
    ['email_address', CONTACT, { email_address: 'a\0b' }],
    ['email_address', CONTACT, { email_address: '\ud800' }],
    ['unsubscribed_at', CONTACT, { unsubscribed_at: '2026-02-30T12:00:00Z' }],
    ['unsubscribed_at', CONTACT, { unsubscribed_at: '2026-01-31T24:00:00Z' }],
    ['unsubscribed_at', CONTACT, { unsubscribed_at: '2026-01-31T12:00:00' }],
    ['unsubscribed_at', CONTACT, { unsubscribed_at: '2026-01-31' }],
    ['unsubscribed_at', CONTACT, { unsubscribed_at: 1 }],
    ['custom_attributes', CONTACT, { custom_attributes: { a: 1 } }],
    ['custom_attributes', CONTACT, { custom_attributes: { 'a\0': 'b' } }],
    ['custom_attributes', CONTACT, { custom_attributes: [] }],
    ['custom_attributes', CONTACT, { custom_attributes: 1 }],
    ['conjunction', FILTER, { conjunction: 'nor' }],
    ['conjunction', FILTER, { conjunction: ['and'] }],
    ['criteria', FILTER, { criteria: {} }],
    ['criteria[1]', FILTER, { criteria: [{ attribute: 'a', clause: 'eq' }, null] }],
    ['criteria[0].clause', FILTER, { criteria: [{ attribute: 'a' }] }],
    ['criteria[0].attribute', FILTER, { criteria: [{ attribute: 1, clause: 'eq' }] }],
    ['api_version', ENDPOINT, { api_version: 1.5 }],
    ['api_version', ENDPOINT, { api_version: 2 ** 31 }],
    ['api_version', ENDPOINT, { api_version: '2.5' }],
    ['page_ids', ENDPOINT, { page_ids: [1, '2x'] }],
    ['page_ids', ENDPOINT, { page_ids: ['-1'] }],
    ['page_ids', ENDPOINT, { page_ids: [''] }],
    ['page_ids', ENDPOINT, { page_ids: ['9223372036854775808'] }],
    ['page_ids', ENDPOINT, { page_ids: ['0'.repeat(20)] }],
    ['page_ids', ENDPOINT, { page_ids: [2 ** 53] }],
    ['page_ids', ENDPOINT, { page_ids: 1 }],
    ['event_type_ids', ENDPOINT, { event_type_ids: [null] }],
  ])('%s', (name, fields, input) => {
    expect(blamed(fields, input)).toEqual([name]);
  });

  test.each([null, undefined, 1, 'x', [], true])('the body, where it is %j', (input) => {
    expect(blamed(CONTACT, input)).toEqual(['body']);
  });

  test('each wrong member, in the order of the description, and twenty at most', () => {
    expect(blamed(CONTACT, { is_active: 'x', email_address: 1, uuid: 2 })).toEqual([
      'uuid',
      'email_address',
      'is_active',
    ]);
    expect(blamed(FILTER, { criteria: Array.from({ length: 50 }, () => 1) })).toHaveLength(20);
  });
});

test('any JSON is accepted or refused as invalid', () => {
  const names = ['uuid', 'anonymous', 'unsubscribed_at', 'custom_attributes', 'criteria', 'page_ids'];
  const input = fc.dictionary(fc.constantFrom(...names, '__proto__'), fc.jsonValue());
  fc.assert(fc.property(input, (value) => void blamed({ ...CONTACT, ...FILTER, ...ENDPOINT }, value)));
});
