// Bodies of the operations of the public API, from their members.
import type { Member, PublicOperation } from '../../support/facts.ts';
import { isNumber, referenceOf, sampleFor } from './values.ts';

/** Which members a body has: all, those that must be there, all with null where it is allowed, or all with numbers as text. */
export type Form = 'all' | 'required' | 'nulls' | 'decimals';

/** Finds an object of a collection. @returns its id; null while the first one is being made */
export type FindId = (collection: string, isFresh: boolean) => Promise<number | null>;

/** Lists that must have two items. */
const PAIRS = /^(branches|variants)$/;

/** The body of an operation. @param plural of members that exclude each other, as `page_id` and `page_ids`, the second one */
export async function bodyOf(
  { body, path }: PublicOperation,
  form: Form,
  findId: FindId,
  plural = false,
): Promise<Record<string, unknown> | undefined> {
  if (body.length === 0) return undefined;
  const [wrapper] = body;
  const isWrapped = wrapper?.members !== undefined && !wrapper.isList;
  const members = isWrapped ? (wrapper.members ?? []) : body;
  const given = await objectOf(members, form);
  return isWrapped ? { [wrapper.name]: given } : given;

  async function objectOf(of: readonly Member[], as: Form, index = 0): Promise<Record<string, unknown>> {
    const names = new Set(of.map(({ name }) => name));
    const given: Record<string, unknown> = {};
    for (const member of of) {
      const { name, isOptional } = member;
      if (isOptional && as === 'required') continue;
      if (plural ? names.has(`${name}s`) : name.endsWith('_ids') && names.has(name.slice(0, -1))) continue;
      const value = isOptional && as === 'nulls' ? null : await memberOf(member, as, index);
      if (value !== undefined && (value !== null || isOptional)) given[name] = value;
    }
    return given;
  }

  async function memberOf(member: Member, as: Form, index: number): Promise<unknown> {
    const { name, members, isList } = member;
    if (members !== undefined) {
      if (!isList) return objectOf(members, as);
      const items = [];
      // Of an item the facts do not say what is required.
      const whole = as === 'decimals' ? as : 'all';
      while (items.length < (PAIRS.test(name) ? 2 : 1))
        items.push(await objectOf(members, whole, items.length));
      return items.map((item) =>
        'weight' in item ? { ...item, weight: as === 'decimals' ? '50' : 50 } : item,
      );
    }
    const collection = referenceOf(name, path);
    const value = collection === null ? sampleFor(member) : await idOf(member, collection, index);
    return as === 'decimals' && isNumber(member) && value !== null ? asText(member, value) : value;
  }

  async function idOf(
    { name, type = '', isList }: Member,
    collection: string,
    index: number,
  ): Promise<unknown> {
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
        !(index === 0 && path.endsWith('split_test_steps'))) ||
      name === 'enrollment_id' ||
      name === 'invoices_line_item_id' ||
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
