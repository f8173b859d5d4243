// Every description is in the list of nouns, once, and complete.
import { describe, expect, test } from 'vitest';
import { childFaults } from '../../src/resources/child-faults.ts';
import { contact } from '../../src/resources/contacts.ts';
import { parentKeyOf } from '../../src/resources/description/ancestors.ts';
import { IDS, OF_WORKSPACE } from '../../src/resources/description/common-fields.ts';
import type { Field, Fields } from '../../src/resources/description/fields.ts';
import { filtersOf } from '../../src/resources/description/lists.ts';
import type { Resource } from '../../src/resources/description/resource.ts';
import { type ByNoun, NOUNS } from '../../src/resources/nouns.ts';
import { personalDataFaults } from '../../src/resources/personal-data.ts';
import { workspace } from '../../src/resources/workspaces.ts';
import { MADE_UP } from '../support/made-up/playlist.ts';
import { RESOURCES } from '../support/resources.ts';

test('each description with a number is in the list', () => {
  const listed = new Set(NOUNS.map(({ number }) => number));
  const missing = RESOURCES.filter(({ number }) => number !== undefined && !listed.has(number));
  expect(missing.map(({ type }) => type)).toEqual([]);
});

test.each(['type', 'table', 'number'] as const)('no two nouns have the same %s', (name) => {
  const all = NOUNS.map((noun) => noun[name]);
  expect(all).toEqual([...new Set(all)]);
});

test.each(NOUNS)('$type: the description has what its place needs', (noun) => {
  const {
    type,
    number,
    parent,
    parentKey,
    path,
    plural,
    scope,
    topic,
    wrapper,
    verbs = [],
    events = [],
  } = noun;
  expect(number > 0n).toBe(true);
  const before = NOUNS.slice(0, NOUNS.indexOf(noun)).map((other) => other.type);
  if (parent !== undefined) expect(before).toContain(parent.type);
  // Whose a row is, is read of each.
  if (parent !== undefined && parentKey === undefined)
    expect(Object.keys(noun.fields)).toContain(parentKeyOf(noun));
  const isServed = path !== undefined || plural !== undefined || verbs.length > 0;
  expect([type, !isServed || scope !== undefined]).toEqual([type, true]);
  const isRecorded = topic !== undefined && wrapper !== undefined;
  expect([type, verbs.length === 0 || isRecorded]).toEqual([type, true]);
  expect([type, events.length === 0 || topic !== undefined]).toEqual([type, true]);
  const values = Object.entries(noun.filters ?? {}).filter(([, { isRange }]) => isRange !== true);
  expect(filtersOf(noun).map(({ property }) => property)).toEqual(values.map(([property]) => property));
});

test.each(RESOURCES)('$type: its kinds are the values of one of its fields', ({ fields, kinds }) => {
  const only = Object.values<Field>(fields).flatMap((field) => field.only ?? []);
  expect(Object.keys(kinds?.types ?? {})).toEqual(kinds === undefined ? [] : fields[kinds.by]?.values);
  expect(only.filter((kind) => kinds?.types[kind] === undefined)).toEqual([]);
});

test('a map by noun refuses a key that is not the name of a noun', () => {
  // @ts-expect-error: it is called WebhookEvent.
  const misspelt: ByNoun<object> = { WebhookEvents: {} };
  expect(NOUNS.filter(({ type }) => type in misspelt)).toEqual([]);
});

/** A noun of a workspace, with these fields in addition to its ids. */
const made = (fields: Fields, more: Partial<Resource> = {}): Resource => ({
  type: 'Repair',
  title: 'Repair',
  table: 'repairs',
  description: 'A repair.',
  parent: workspace,
  fields: { ...IDS, ...OF_WORKSPACE, ...fields },
  ...more,
});
const contactId = { type: 'int8', nullable: true, refers: contact, description: 'Whose it is.' } as const;
const text = { type: 'text', personal: true, description: 'What is wrong.' } as const;

describe('a description may mark as personal only what an erasure can blank', () => {
  test.each(NOUNS)('of a $type', (noun) => {
    expect(personalDataFaults(noun)).toEqual([]);
  });

  test.each<[string, Field]>([
    ['text', text],
    ['text that can be null', { ...text, nullable: true }],
    ['a boolean that can be null', { ...text, type: 'bool', nullable: true }],
    ['members', { ...text, type: 'jsonb', members: 'text' }],
    ['a list', { ...text, type: 'text[]' }],
  ])('%s', (_, field) => {
    expect(personalDataFaults(made({ contactId, field }))).toEqual([]);
  });

  test.each<[string, Field]>([
    ['a boolean', { ...text, type: 'bool' }],
    ['a number', { ...text, type: 'int4' }],
    ['JSON', { ...text, type: 'jsonb' }],
    ['one of some values', { ...text, values: ['one', 'two'] }],
    ['text of a format', { ...text, format: 'email' }],
  ])('not %s, which has no blank value', (_, field) => {
    expect(personalDataFaults(made({ contactId, field }))).toEqual([
      'Repair.field is personal, so it must be nullable, free text, members or a list: an erasure cannot blank other values.',
    ]);
  });

  test('a personal field cannot be a filter, which would reveal hidden values; below a contact, a nullable unique text can', () => {
    const filters = { code: { unique: true } } as const;
    const code = { ...text, nullable: true } as const;
    expect(personalDataFaults(made({ contactId, code }, { filters }))).toEqual([
      'Repair.code is personal, so it must not be a filter: a filter would reveal hidden values.',
    ]);
    expect(personalDataFaults(made({ contactId, code }, { filters, parent: contact }))).toEqual([]);
    expect(personalDataFaults(made({ contactId, code: text }, { filters, parent: contact }))).toHaveLength(1);
  });

  test('a member of a field cannot be personal by itself', () => {
    const list = { type: 'jsonb', items: { said: text }, description: 'What was said.' } as const;
    expect(personalDataFaults(made({ contactId, list }))).toEqual([
      'Repair.list.said cannot be personal. Mark Repair.list as personal instead.',
    ]);
  });

  test('a noun that leads to no contact has no personal fields', () => {
    expect(personalDataFaults(made({ text }))).toEqual([
      'Repair has personal data, but no reference leads from it to a contact.',
    ]);
  });

  test('personal data cannot move to another contact, at any depth', () => {
    const moving = { contactId: { ...contactId, writable: 'always' } } as const;
    const fault =
      'Repair.contactId decides whose personal data it is, so it may be writable only at_creation.';
    expect(personalDataFaults(made({ contactId: { ...contactId, writable: 'at_creation' }, text }))).toEqual(
      [],
    );
    expect(personalDataFaults(made(moving))).toEqual([]);
    expect(personalDataFaults(made({ ...moving, text }))).toEqual([fault]);
    expect(personalDataFaults(made({ text }, { type: 'Part', parent: made(moving) }))).toEqual([fault]);
  });

  test('personal data moves to another contact only if it is handed over', () => {
    const moving = { contactId: { ...contactId, writable: 'always', handsOver: true } } as const;
    expect(personalDataFaults(made({ ...moving, text }))).toEqual([]);
    expect(personalDataFaults(made({ text }, { type: 'Part', parent: made(moving) }))).toEqual([]);
  });

  test('personal data leads to one contact only, at any depth', () => {
    const two = { contactId, payerId: contactId };
    const list = { contactId, payerIds: { ...contactId, type: 'int8[]' } } as const;
    const fault = (keys: string) => `Repair has personal data, so only one of ${keys} may lead to a contact.`;
    expect(personalDataFaults(made(two))).toEqual([]);
    expect(personalDataFaults(made({ ...two, text }))).toEqual([fault('contactId, payerId')]);
    expect(personalDataFaults(made({ ...list, text }))).toEqual([fault('contactId, payerIds')]);
    expect(
      personalDataFaults(
        made({ text, payerId: { ...contactId, writable: 'at_creation' } }, { parent: contact }),
      ),
    ).toEqual([fault('payerId, contactId')]);
    expect(personalDataFaults(made({ text }, { type: 'Part', parent: made(two) }))).toEqual([
      fault('contactId, payerId'),
    ]);
    expect(personalDataFaults(made({ contactId, text }, { parent: contact }))).toEqual([]);
  });
});

describe('a description of child lists, or of an order, must be complete', () => {
  const [playlist, track] = MADE_UP as readonly Resource[] as [Resource, Resource];
  const { tracks } = playlist.fields as { tracks: Field };
  const faultsOf = (list: Partial<Field>, child: Partial<Resource> = {}) => {
    const parent = { ...playlist, fields: { ...playlist.fields, tracks: { ...tracks, ...list } } };
    return childFaults(parent, [parent, { ...track, parent, ...child }]);
  };

  test.each([...NOUNS, ...MADE_UP])('of a $type', (noun) => {
    expect(childFaults(noun, [...NOUNS, ...MADE_UP])).toEqual([]);
  });

  const { maxLength, changes, ...rest } = tracks;
  const unbounded = { ...playlist, fields: { tracks: { ...rest, ...(changes && { changes }) } } };
  test.each<[string, readonly string[]]>([
    ['of a noun that is elsewhere', childFaults(playlist, [playlist])],
    ['below another parent', faultsOf({}, { parent: workspace })],
    ['without a bound', childFaults(unbounded, [unbounded, { ...track, parent: unbounded }])],
    ['with another bound than they have themselves', faultsOf({}, { most: (maxLength ?? 0) + 1 })],
    ['with other fields than they have themselves', faultsOf({ items: { ...tracks.items } })],
    ['that can be null', faultsOf({ nullable: true })],
    ['that changes touch, but not how', faultsOf({ writable: 'at_creation' })],
    ['for another scope', faultsOf({}, { scope: 'contacts' })],
    ['with the name of their pages', faultsOf({}, { plural: 'tracks' })],
  ])('not %s', (_, faults) => {
    expect(faults).toEqual([expect.stringMatching(/^Playlist\.tracks /)]);
  });

  test('an ordered noun must have a maximum, and a parent below the workspace', () => {
    const { most: _, ...unbounded } = track;
    expect(childFaults({ ...unbounded, parent: workspace }, NOUNS)).toEqual([
      'Track has an order, so its parent must be below a workspace: changes of the order do not lock a workspace.',
      'Track can be reordered, so it needs `most`, and its parent a `topic` for the audit entry.',
    ]);
    const { position, ...fields } = track.fields;
    expect(childFaults({ ...track, fields }, MADE_UP)).toEqual([
      'Track can be reordered, so it needs ...ORDERED.',
    ]);
  });
});
