// The model of contacts and tags: every change as a pure function of the previous state. It does not depend on the gateway's
// implementation.

/** The text fields of a contact. */
export const TEXTS = ['email_address', 'first_name', 'phone_number'] as const;

export interface Members {
  readonly email_address?: string | null;
  readonly first_name?: string | null;
  readonly phone_number?: string | null;
  readonly custom_attributes?: Readonly<Record<string, string | null>>;
  readonly tag_ids?: readonly number[] | null;
}

export type Change =
  | { readonly verb: 'create' | 'upsert'; readonly members: Members }
  | { readonly verb: 'update'; readonly contact: number; readonly members: Members }
  | { readonly verb: 'remove' | 'erase'; readonly contact: number }
  | { readonly verb: 'apply' | 'unapply'; readonly contact: number; readonly tag: number }
  | { readonly verb: 'createTag'; readonly name: string }
  | { readonly verb: 'renameTag'; readonly tag: number; readonly name: string }
  | { readonly verb: 'removeTag'; readonly tag: number };

/** The state of a contact. */
export interface State {
  readonly texts: Readonly<Record<(typeof TEXTS)[number], string | null>>;
  readonly anonymous: boolean;
  readonly attributes: Readonly<Record<string, string>>;
  /** In ascending order. */
  readonly tags: readonly number[];
}

export interface World {
  /** Every contact that has existed; null: it was deleted. */
  readonly contacts: Map<number, State | null>;
  /** The names of tags. */
  readonly tags: Map<number, string>;
}

export const BLANK: State = {
  texts: { email_address: null, first_name: null, phone_number: null },
  anonymous: true,
  attributes: {},
  tags: [],
};

/** The contact after a change that is not refused, and the types of its events, with the tag after the colon. */
export function step(before: State | null, change: Change): { after: State | null; events: string[] } {
  switch (change.verb) {
    case 'create':
      return changed(null, change.members);
    case 'upsert': {
      const { email_address = null, ...others } = givenOf(change.members);
      return changed(before, before === null ? { email_address, ...others } : others);
    }
    case 'update':
      return changed(before, change.members);
    case 'remove':
      return { after: null, events: ['contact.deleted'] };
    case 'erase':
      return before === null ? { after: null, events: [] } : { after: BLANK, events: ['contact.updated'] };
    case 'apply':
      return tagged(before, [...(before?.tags ?? []), change.tag]);
    case 'unapply':
      return tagged(
        before,
        (before?.tags ?? []).filter((tag) => tag !== change.tag),
      );
    default:
      return { after: before, events: [] };
  }
}

function changed(before: State | null, { custom_attributes = {}, tag_ids, ...texts }: Members) {
  const state = before ?? BLANK;
  const attributes = Object.entries(custom_attributes).map(([name, value]) => [name, value ?? '']);
  const next = { ...state.texts, ...texts };
  next.email_address = next.email_address?.trim() ?? null;
  const anonymous = state.anonymous && next.email_address === null && next.phone_number === null;
  const tags = tag_ids === undefined ? state.tags : (tag_ids ?? []);
  const { after, events } = tagged(state, tags);
  return {
    after: {
      ...after,
      texts: next,
      anonymous,
      attributes: { ...state.attributes, ...Object.fromEntries(attributes) },
    },
    events: [
      before === null ? 'contact.created' : 'contact.updated',
      ...(state.anonymous && !anonymous ? ['contact.identified'] : []),
      ...events,
    ],
  };
}

function tagged(before: State | null, tags: readonly number[]) {
  const state = before ?? BLANK;
  const now = [...new Set(tags)].toSorted((a, b) => a - b);
  const events = [
    ...now.filter((tag) => !state.tags.includes(tag)).map((tag) => `contacts/applied_tag.created:${tag}`),
    ...state.tags.filter((tag) => !now.includes(tag)).map((tag) => `contacts/applied_tag.deleted:${tag}`),
  ];
  return { after: { ...state, tags: now }, events };
}

/** An upsert ignores null and the empty list. */
function givenOf(members: Members): Members {
  const given = Object.entries(members).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(given);
}

/** The status of a change when nothing else is in progress. */
export function statusOf({ contacts, tags }: World, change: Change): number {
  switch (change.verb) {
    case 'create':
      return Object.keys(change.members).length > 0 && isValid(change.members) ? 201 : 422;
    case 'upsert': {
      const found = byAddress(change.members.email_address);
      if (!isValid(givenOf(change.members), found)) return 422;
      return found === undefined ? 201 : 200;
    }
    case 'update':
      if (contacts.get(change.contact) == null) return 404;
      return isValid(change.members, change.contact) ? 200 : 422;
    case 'remove':
      return contacts.get(change.contact) == null ? 404 : 204;
    case 'erase':
      return 200;
    case 'apply': {
      const state = contacts.get(change.contact);
      if (state == null) return 404;
      if (!tags.has(change.tag)) return 422;
      return state.tags.includes(change.tag) ? 200 : 201;
    }
    case 'unapply':
      return contacts.get(change.contact)?.tags.includes(change.tag) ? 204 : 404;
    case 'createTag':
      return isTaken(change.name) ? 422 : 201;
    case 'renameTag':
      if (!tags.has(change.tag)) return 404;
      return isTaken(change.name, change.tag) ? 422 : 200;
    case 'removeTag':
      return tags.has(change.tag) ? 204 : 404;
  }

  function isTaken(name: string, by?: number): boolean {
    return [...tags].some(([tag, other]) => other === name && tag !== by);
  }

  function isValid({ email_address, tag_ids }: Members, id?: number): boolean {
    const found = byAddress(email_address);
    return (found === undefined || found === id) && (tag_ids ?? []).every((tag) => tags.has(tag));
  }

  function byAddress(address: string | null | undefined): number | undefined {
    if (address == null) return undefined;
    return [...contacts].find(([, state]) => keyOf(state?.texts.email_address) === keyOf(address))?.[0];
  }
}

/** The key by which addresses are compared. */
export function keyOf(address: string | null | undefined): string | undefined {
  return address?.trim().toLowerCase();
}

/** Makes a change that is not refused. @param id of the contact or the tag */
export function apply({ contacts, tags }: World, change: Change, id: number): ReturnType<typeof step> {
  if (change.verb === 'createTag' || change.verb === 'renameTag') tags.set(id, change.name);
  if (change.verb === 'removeTag') {
    tags.delete(id);
    for (const [contact, state] of contacts)
      if (state !== null) contacts.set(contact, { ...state, tags: state.tags.filter((tag) => tag !== id) });
  }
  if (change.verb.endsWith('Tag')) return { after: null, events: [] };
  const next = step(contacts.get(id) ?? null, change);
  contacts.set(id, next.after);
  return next;
}
