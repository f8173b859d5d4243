// Bodies of the operations of the public API, from their members.
import type { Member, PublicOperation } from '../../support/facts.ts';
import { isNumber, referenceOf, sampleFor } from './values.ts';

/** Which members a body has: all, those that must be there, all with null where it is allowed, or all with numbers as text. */
export type Form = 'all' | 'required' | 'nulls' | 'decimals';

/** Finds an object of a collection. @returns a member of it, its id by default; null while the first one is being made */
export type FindId = (
  collection: string,
  isFresh: boolean,
  member?: 'id' | 'public_id',
) => Promise<number | string | null>;

/** Of these members exactly one is given, the first unless the other is asked for, also where the facts have both as optional. */
const ALTERNATIVES = ['contact_id', 'contact_attributes'] as const;

/** Lists that must have two items. */
const PAIRS = /^(branches|variants)$/;

/** Whether a body has members that exclude each other. */
export function hasAlternatives(members: readonly Member[]): boolean {
  const names = new Set(members.map(({ name }) => name));
  return (
    ALTERNATIVES.every((name) => names.has(name)) ||
    members.some(({ name, members: below = [] }) => names.has(`${name}s`) || hasAlternatives(below))
  );
}

/** Whether parts of an object are named by their ids. */
export function hasIds(members: readonly Member[]): boolean {
  return members.some(
    ({ members: below = [], isList }) => (isList && below.some(({ name }) => name === 'id')) || hasIds(below),
  );
}

/** The body of an operation. @param second of members that exclude each other, as `page_id` and `page_ids`, the second one */
export async function bodyOf(
  { method, body, path }: PublicOperation,
  form: Form,
  findId: FindId,
  second = false,
): Promise<Record<string, unknown> | undefined> {
  if (body.length === 0) return undefined;
  const [wrapper] = body;
  const isWrapped = wrapper?.members !== undefined && !wrapper.isList;
  const members = isWrapped ? (wrapper.members ?? []) : body;
  const given = await objectOf(members, form);
  return isWrapped ? { [wrapper.name]: given } : given;

  async function objectOf(
    of: readonly Member[],
    as: Form,
    index = 0,
    list = '',
  ): Promise<Record<string, unknown>> {
    const names = new Set(of.map(({ name }) => name));
    const given: Record<string, unknown> = {};
    const [left, taken] = second ? ALTERNATIVES : [...ALTERNATIVES].reverse();
    const isChoice = ALTERNATIVES.every((name) => names.has(name));
    for (const member of of) {
      const { name } = member;
      if (isChoice && name === left) continue;
      const isOptional = member.isOptional && !(isChoice && name === taken);
      if (isOptional && as === 'required') continue;
      if (second ? names.has(`${name}s`) : name.endsWith('_ids') && names.has(name.slice(0, -1))) continue;
      const value = isOptional && as === 'nulls' ? null : await memberOf(member, as, index, list);
      if (value !== undefined && (value !== null || isOptional)) given[name] = value;
    }
    return given;
  }

  async function memberOf(member: Member, as: Form, index: number, list: string): Promise<unknown> {
    const { name, members, isList } = member;
    if (members !== undefined) {
      if (!isList) return objectOf(members, as);
      const items = [];
      // Of an item the facts do not say what is required.
      const whole = as === 'decimals' ? as : 'all';
      while (items.length < (PAIRS.test(name) ? 2 : 1))
        items.push(await objectOf(members, whole, items.length, name));
      return items.map((item) =>
        'weight' in item ? { ...item, weight: as === 'decimals' ? '50' : 50 } : item,
      );
    }
    // A new object's parts have no ids yet.
    if (name === 'id' && method === 'POST') return undefined;
    const inside = `${path.slice(1, path.lastIndexOf('/'))}/${list.replace('_attributes', '')}`;
    const collection = name === 'id' ? inside : referenceOf(name, path);
    const value = collection === null ? sampleFor(member) : await idOf(member, collection, index);
    return as === 'decimals' && isNumber(member) && value !== null ? asText(member, value) : value;
  }

  async function idOf(
    { name, type = '', isList }: Member,
    collection: string,
    index: number,
  ): Promise<unknown> {
    if (name === 'filter_id' && type.startsWith('text')) return findId(collection, false, 'public_id');
    const id = await findId(collection, isFreshWanted(name, index));
    if (id === null) return isList || name.endsWith('s') ? [] : null;
    const sent = type.startsWith('text') ? String(id) : id;
    return isList || name.endsWith('_ids') ? [sent] : sent;
  }

  /** What can be used once; a price is changed to another one. The first page of a new split test is one of the funnel already. */
  function isFreshWanted(name: string, index: number): boolean {
    return (
      (name.startsWith('page_id') &&
        path.includes('split') &&
        !(index === 0 && path.includes('split_test_steps'))) ||
      name === 'enrollment_id' ||
      name === 'invoices_line_item_id' ||
      (name === 'variant_ids' && path.includes('shipping')) ||
      (name === 'tag_id' && path.endsWith('applied_tags')) ||
      (name === 'contact_id' && path.endsWith('enrollments')) ||
      (name === 'products_price_id' && path.includes('/changes'))
    );
  }
}

function asText(member: Member, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => asText(member, one));
  return `${value}${member.type === 'number' ? '.0' : ''}`;
}
