// Random changes of contacts and tags, as arbitraries of fast-check: few addresses, names and tags, so that they collide.
import fc from 'fast-check';
import type { Change, Members } from './model.ts';

/** A change, and how it is sent. Its contacts and tags are indexes into the lists of all that have existed, modulo their length. */
export interface Plan {
  readonly change: Change;
  readonly face: 'rest' | 'graphql';
  /** The number of concurrent requests with one idempotency key; 0: one request, without a key. */
  readonly copies: number;
}

const ADDRESSES = [
  'ann@example.com',
  ' Ann@Example.COM ',
  'bo@example.com',
  'BO@example.com',
  'cy@example.com',
];

const place = fc.nat({ max: 50 });
const address = fc.constantFrom(...ADDRESSES);
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 4 });
const text = nullable(fc.constantFrom('A', 'É "quoted" \\', '  ', '😀'));
const optional = {
  first_name: text,
  phone_number: nullable(fc.constantFrom('+1', '555')),
  custom_attributes: fc.dictionary(
    fc.constantFrom('a', 'bb', 'c_1'),
    nullable(fc.constantFrom('', 'x', 'é')),
  ),
  tag_ids: nullable(fc.array(place, { maxLength: 3 })),
};
const members: fc.Arbitrary<Members> = fc.record(
  { email_address: nullable(address), ...optional },
  { requiredKeys: [], noNullPrototype: true },
);
const upserted: fc.Arbitrary<Members> = fc.record(
  { email_address: address, ...optional },
  { requiredKeys: ['email_address'], noNullPrototype: true },
);
const name = fc.constantFrom('red', 'green', 'blue', 'black', 'white');

const changes = {
  create: fc.record({ verb: fc.constant('create' as const), members }),
  upsert: fc.record({ verb: fc.constant('upsert' as const), members: upserted }),
  update: fc.record({ verb: fc.constant('update' as const), contact: place, members }),
  remove: fc.record({ verb: fc.constant('remove' as const), contact: place }),
  erase: fc.record({ verb: fc.constant('erase' as const), contact: place }),
  apply: fc.record({ verb: fc.constant('apply' as const), contact: place, tag: place }),
  unapply: fc.record({ verb: fc.constant('unapply' as const), contact: place, tag: place }),
  createTag: fc.record({ verb: fc.constant('createTag' as const), name }),
  renameTag: fc.record({ verb: fc.constant('renameTag' as const), tag: place, name }),
  removeTag: fc.record({ verb: fc.constant('removeTag' as const), tag: place }),
} satisfies Record<Change['verb'], fc.Arbitrary<Change>>;

/** How often each is chosen. */
const WEIGHTS: Readonly<Record<Change['verb'], number>> = {
  ...{ create: 3, upsert: 3, update: 8, remove: 1, erase: 1, apply: 3, unapply: 3 },
  ...{ createTag: 2, renameTag: 1, removeTag: 1 },
};

/** @param without the changes to leave out */
export function plans(without: readonly Change['verb'][] = []): fc.Arbitrary<Plan> {
  const chosen = Object.entries(changes)
    .filter(([verb]) => !without.includes(verb as Change['verb']))
    .map(([verb, arbitrary]) => ({ arbitrary, weight: WEIGHTS[verb as Change['verb']] }));
  return fc.record({
    change: fc.oneof(...(chosen as { arbitrary: fc.Arbitrary<Change>; weight: number }[])),
    face: fc.constantFrom('rest', 'graphql'),
    copies: fc.constantFrom(0, 0, 1, 2, 3),
  });
}

/** The change of a plan, with contacts and tags that have existed. */
export function resolve(change: Change, contacts: readonly number[], tags: readonly number[]): Change {
  const at = (ids: readonly number[], index: number) => ids[index % ids.length] ?? 0;
  return {
    ...change,
    ...('contact' in change && { contact: at(contacts, change.contact) }),
    ...('tag' in change && { tag: at(tags, change.tag) }),
    ...('members' in change && { members: resolveMembers(change.members, (index) => at(tags, index)) }),
  };
}

function resolveMembers(given: Members, tagAt: (index: number) => number): Members {
  const { tag_ids, ...others } = given;
  return tag_ids === undefined ? others : { ...others, tag_ids: tag_ids?.map(tagAt) ?? null };
}
