// The catalogue of event types that webhook endpoints can subscribe to: the events of our nouns, and those that the public service
// documents for nouns that the gateway does not have yet, so that clients can keep their subscriptions when they migrate.
import type { Category } from './description/categories.ts';
import type { Fields, RowOf } from './description/fields.ts';
import { subjectTypeOf } from './description/names.ts';
import type { Resource } from './description/resource.ts';
import { NOUNS } from './nouns.ts';

/** The scope that a caller needs to read the subjects of events. */
export type EventScope = `${Category}:read`;

/** The test event: sent to one endpoint, regardless of its subscriptions, so that its owner can check that deliveries arrive. */
export const TEST_EVENT_TYPE = 'webhooks/outgoing/endpoint.tested';

/**
 * Event types that never occur here, most of them of nouns that are not served: by scope and topic. Ids are `<topic>.<event>`.
 */
const NOT_SERVED: Readonly<Partial<Record<EventScope, Readonly<Record<string, string>>>>> = {
  'funnels:read': {
    'communities/post': 'created',
    'communities/posts/comment': 'created',
  },
  'courses:read': { 'courses/enrollment': 'deleted' },
  'store:read': {
    order: 'deleted',
    'orders/invoice': 'reissued',
    'orders/invoices/restock': 'updated',
  },
  'account:read': { platform_application: 'disconnected' },
};

export const EVENT_TYPE_FIELDS = {
  id: {
    type: 'text',
    description:
      'The id that endpoints use to subscribe, of the form `<topic>.<event>`, such as `contact.created`.',
  },
  topic: { type: 'text', description: 'The topic of the event, such as `contact` or `orders/invoice`.' },
  scope: {
    type: 'text',
    description:
      'The scope that a client needs, in addition to `webhooks:write`, to subscribe to the event type.',
  },
} as const satisfies Fields;

export interface EventType extends RowOf<typeof EVENT_TYPE_FIELDS> {
  scope: EventScope;
}

const typesOf = (scope: EventScope, topic: string, events: readonly string[]): EventType[] =>
  events.map((event) => ({ id: `${topic}.${event}`, topic, scope }));

/** The event types of a noun. */
function typesOfNoun({ scope, topic, events = [], moreEvents = [] }: Resource): EventType[] {
  if (scope === undefined || topic === undefined) return [];
  const others = moreEvents.map(
    (id) => [id.slice(0, id.indexOf('.')), id.slice(id.indexOf('.') + 1)] as const,
  );
  return [
    ...typesOf(`${scope}:read`, topic, events),
    ...others.flatMap(([topic, event]) => typesOf(`${scope}:read`, topic, [event])),
  ];
}

const notServed = (Object.entries(NOT_SERVED) as [EventScope, Readonly<Record<string, string>>][]).flatMap(
  ([scope, topics]) =>
    Object.entries(topics).flatMap(([topic, events]) => typesOf(scope, topic, events.split(/\s+/))),
);

/** All event types by id. For a noun that is served, its own description takes precedence. */
const TYPES = new Map([...notServed, ...NOUNS.flatMap(typesOfNoun)].map((type) => [type.id, type]));

/** All event types, ordered by id. */
export const EVENT_TYPES: readonly EventType[] = [...TYPES.values()].toSorted((a, b) =>
  a.id < b.id ? -1 : 1,
);

/** Whether an event type with this id exists. */
export function isEventType(id: string): boolean {
  return TYPES.has(id);
}

/** The scope that a caller needs to read the subjects of these events; null for an unknown event type. */
export function scopeOfEventType(id: string): EventScope | null {
  return TYPES.get(id)?.scope ?? null;
}

/** The name of the event type's subject in events, if a noun has the event type. If several nouns share it, the last one, which includes the others. */
export function subjectOfEventType(id: string): string | null {
  const noun = NOUNS.findLast(
    ({ topic, events = [], moreEvents = [] }: Resource) =>
      moreEvents.includes(id) || events.some((event) => `${topic}.${event}` === id),
  );
  return noun === undefined ? null : subjectTypeOf(noun);
}
