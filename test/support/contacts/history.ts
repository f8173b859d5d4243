// Compares the records of contacts and tags with the model: the audit trail is the order of the changes, and in that order the model must
// explain every answer, every event, and the final state.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { type Answer, type Client, stateOf } from './client.ts';
import { apply, BLANK, type Change, type State, type World } from './model.ts';

/** A sent change, and its answer. */
export interface Sent {
  /** Every request of the change has an id that begins with this name and a dot. */
  readonly name: string;
  readonly change: Change;
  /** null if it was refused. */
  readonly answer: Answer | null;
}

interface AuditEntry {
  readonly action: string;
  readonly subject_id: string;
  readonly contact_id: string | null;
  readonly request_id: string;
  readonly before: object | null;
  readonly after: object | null;
}

interface Event {
  readonly event_type: string;
  readonly contact_id: string;
  readonly data: (object & { readonly tag_id?: number }) | null;
}

interface Evidence {
  readonly query: (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>;
  readonly workspaceId: bigint;
  readonly client: Client;
  readonly sent: readonly Sent[];
  /** Whether tags were deleted while contacts were changed: then these tags are not checked. */
  readonly haveTagsRaced: boolean;
}

/** The names of changes that were answered without an effect: they have no audit entry. */
export async function findUnchanged({
  query,
  workspaceId,
  sent,
}: Pick<Evidence, 'query' | 'workspaceId' | 'sent'>): Promise<ReadonlySet<string>> {
  const text = "select split_part(request_id, '.', 1) as name from audit_entries where workspace_id = $1";
  const { rows } = await query(text, [workspaceId]);
  const recorded = new Set((rows as { name: string }[]).map(({ name }) => name));
  const answered = sent.filter(({ answer }) => answer !== null);
  return new Set(answered.map(({ name }) => name).filter((name) => !recorded.has(name)));
}

/**
 * Requires that exactly the answered changes were made, once each, with one audit entry and their events; a change without an effect has
 * no entry, and its answer is a state that existed.
 * @returns the contacts and tags at the end
 */
export async function requireHistory(evidence: Evidence): Promise<World> {
  const { query, workspaceId, client, sent, haveTagsRaced } = evidence;
  const read = async <T>(table: string) =>
    (await query(`select * from ${table} where workspace_id = $1 order by id`, [workspaceId])).rows as T[];
  const [entries, events] = [await read<AuditEntry>('audit_entries'), await read<Event>('events')];
  const unchanged = await findUnchanged(evidence);
  const nameOf = ({ request_id }: AuditEntry) => request_id.split('.')[0] ?? '';
  deepEqual(
    entries.map(nameOf).toSorted(),
    sent.flatMap(({ name, answer }) => (answer === null || unchanged.has(name) ? [] : [name])).toSorted(),
    'every change that was answered has one audit entry, and there are no others',
  );

  const deleted = entries.filter(({ action }) => action === 'contacts/tag.deleted');
  const deletedTags = new Set(deleted.map(({ subject_id }) => Number(subject_id)));
  const untold = haveTagsRaced ? deletedTags : new Set<number>();
  const told = (state: State | null) => withoutTags(state, untold);

  const world: World = { contacts: new Map(), tags: new Map() };
  const byName = new Map(sent.map((one) => [one.name, one]));
  const eventsOf = Map.groupBy(events, ({ contact_id }) => Number(contact_id));
  for (const ofContact of eventsOf.values()) removeIf(ofContact, ({ data }) => untold.has(data?.tag_id ?? 0));
  const places = new Map<number, number>();
  const moments: World[] = [];

  for (const entry of entries) {
    const { change, answer } = byName.get(nameOf(entry)) as Sent;
    const id = Number(entry.contact_id ?? entry.subject_id);
    const before = world.contacts.get(id) ?? null;
    const { after, events: happened } = apply(world, change, id);
    moments.push({ contacts: new Map(world.contacts), tags: new Map(world.tags) });
    equal(entry.action, actionOf(change, before), `the action of ${nameOf(entry)}`);
    if (answer?.id !== undefined && entry.contact_id !== null && change.verb !== 'apply')
      equal(answer.id, id, 'what was answered is what was changed');
    if (answer?.contact !== undefined)
      deepEqual(
        told(answer.contact),
        told(change.verb === 'erase' ? BLANK : after),
        `the answer to ${nameOf(entry)}`,
      );
    if (entry.contact_id === null) continue;
    if (entry.action.startsWith('contact.') && entry.after !== null && after !== null)
      deepEqual(told(stateOf(entry.after)), told(after), `the audit entry of ${nameOf(entry)}`);

    const expected = happened.filter((event) => !untold.has(Number(event.split(':')[1])));
    const place = places.get(id) ?? 0;
    const actual = (eventsOf.get(id) ?? []).slice(place, place + expected.length);
    places.set(id, place + expected.length);
    deepEqual(
      actual.map(({ event_type }) => event_type).toSorted(),
      expected.map((event) => event.replace(/:.*/, '')).toSorted(),
      `the events of ${nameOf(entry)} on contact ${id}`,
    );
    for (const { event_type, data } of actual)
      if (event_type.startsWith('contact.') && data !== null)
        deepEqual(told(stateOf(data)), told(after ?? before), `the ${event_type} of ${nameOf(entry)}`);
  }
  for (const [id, { length }] of [...eventsOf].map(([id, all]) => [id, all] as const))
    equal(places.get(id), length, `contact ${id} has no other events`);

  for (const { name, change, answer } of sent)
    if (unchanged.has(name)) requireUnchanged(change, answer, moments);
  await requireShown(client, world, { told, eventsOf, deletedTags });
  return world;
}

/** Requires a moment at which the change had no effect. Ignores the tags of its answer, because a retry has those of its own time. */
function requireUnchanged(change: Change, answer: Answer | null, moments: readonly World[]): void {
  const id = 'contact' in change ? change.contact : 'tag' in change ? change.tag : (answer?.id ?? 0);
  const withoutAnyTags = (state: State | null | undefined) => state && { ...state, tags: [] };
  const found = moments.some(({ contacts, tags }) => {
    if (change.verb === 'renameTag') return tags.get(id) === change.name;
    const before = contacts.get(id);
    if (before == null || (change.verb !== 'update' && change.verb !== 'upsert')) return false;
    const { after } = apply({ contacts: new Map(contacts), tags: new Map(tags) }, change, id);
    const isSame = isDeepStrictEqual(after, before);
    return (
      isSame &&
      (answer?.contact === undefined ||
        isDeepStrictEqual(withoutAnyTags(answer.contact), withoutAnyTags(before)))
    );
  });
  ok(found, `${JSON.stringify(change)} changed nothing`);
}

interface Seen {
  readonly told: (state: State | null) => State | null;
  readonly eventsOf: ReadonlyMap<number, readonly Event[]>;
  readonly deletedTags: ReadonlySet<number>;
}

/** Requires that reads and events have the result of the changes. */
async function requireShown(
  client: Client,
  world: World,
  { told, eventsOf, deletedTags }: Seen,
): Promise<void> {
  for (const [id, state] of world.contacts) {
    const shown = await client.contact(id);
    deepEqual(told(shown), told(state), `contact ${id} is what the changes make of it`);
    // The deletion of a tag of the workspace is not an event of its contacts.
    deepEqual(
      withoutTags(replay(eventsOf.get(id) ?? []), deletedTags),
      withoutTags(shown, deletedTags),
      `the events of contact ${id} lead to what is shown`,
    );
  }
  const { contacts, tags } = await client.all();
  deepEqual(
    contacts,
    [...world.contacts].flatMap(([id, state]) => (state === null ? [] : [id])).toSorted(byNumber),
  );
  deepEqual(
    tags,
    [...world.tags].toSorted(([a], [b]) => a - b),
  );
}

/** The state in the eyes of a subscriber who got every event of a contact in the order of their ids. */
function replay(events: readonly Event[]): State | null {
  let state = null as State | null;
  for (const { event_type, data } of events) {
    if (data === null) continue;
    if (event_type === 'contact.deleted') state = null;
    else if (event_type.startsWith('contact.')) state = stateOf(data);
    else {
      ok(state, 'a tag is applied to a contact that there is');
      const others: number[] = state.tags.filter((tag) => tag !== data.tag_id);
      const tags = event_type.endsWith('.created') ? [...others, data.tag_id ?? 0] : others;
      state = { ...state, tags: tags.toSorted(byNumber) };
    }
  }
  return state;
}

function actionOf({ verb }: Change, before: State | null): string {
  if (verb === 'upsert') return before === null ? 'contact.created' : 'contact.updated';
  return ACTIONS[verb];
}

const ACTIONS: Readonly<Record<Exclude<Change['verb'], 'upsert'>, string>> = {
  create: 'contact.created',
  update: 'contact.updated',
  remove: 'contact.deleted',
  erase: 'contact.erased',
  apply: 'contacts/applied_tag.created',
  unapply: 'contacts/applied_tag.deleted',
  createTag: 'contacts/tag.created',
  renameTag: 'contacts/tag.updated',
  removeTag: 'contacts/tag.deleted',
};

function withoutTags(state: State | null, without: ReadonlySet<number>): State | null {
  return state && { ...state, tags: state.tags.filter((tag) => !without.has(tag)) };
}

function removeIf<T>(list: T[], condition: (item: T) => boolean): void {
  list.splice(0, list.length, ...list.filter((item) => !condition(item)));
}

function byNumber(a: number, b: number): number {
  return a - b;
}
