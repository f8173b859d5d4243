// Every description is in the list of nouns, once, and says what is made from it.
import { expect, test } from 'vitest';
import { NOUNS } from '../../src/resources/nouns.ts';
import { filtersOf, parentKeyOf } from '../../src/resources/resource.ts';
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

test.each(NOUNS)('$type: what its place needs is there', (noun) => {
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
  expect(filtersOf(noun).map(({ property }) => property)).toEqual(Object.keys(noun.filters ?? {}));
});
