// The catalogue of events that endpoints can be told about: those that the public service documents, and those of ours. Most are of
// nouns that the gateway does not have yet: whoever moves here can subscribe to them as before.
import type { Fields, RowOf } from './resource.ts';

/** What a caller needs to read the subjects of events. */
export type EventScope = `${'account' | 'contacts' | 'funnels' | 'store' | 'webhooks'}:read`;

/** What an endpoint alone is told, whatever it is subscribed to, so that its owner sees whether it arrives. */
export const TEST_EVENT_TYPE = 'webhooks/outgoing/endpoint.tested';

/** By the scope, what happens to each topic. Ids are `<topic>.<event>`. */
const CATALOGUE: Readonly<Record<EventScope, Readonly<Record<string, string>>>> = {
  'contacts:read': {
    'appointments/scheduled_event': 'created canceled rescheduled',
    contact: 'created updated deleted identified',
    'contacts/applied_tag': 'created deleted',
    'courses/enrollment': 'created updated deleted suspended course_completed',
    form_submission: 'created',
    'sales/opportunity': 'created updated deleted closed moved_stage',
  },
  'funnels:read': {
    'blogs/post': 'created updated deleted published',
    'communities/post': 'created',
    'communities/posts/comment': 'created',
    course: 'created updated deleted published',
    'courses/lesson': 'created updated deleted published',
    'courses/section': 'created updated deleted published',
  },
  'store:read': {
    fulfillment: 'created updated',
    'one-time-order': 'completed invoice.paid',
    // Spelt so where the others are documented.
    one_time_order: 'refunded',
    order: 'created updated deleted completed',
    'orders/invoice': 'created updated paid refunded abandoned reissued past_due fulfilled voided',
    'orders/invoices/restock': 'created updated',
    'orders/transaction': 'created updated',
    product: 'created updated',
    'products/variant': 'created updated',
    // Its id is the topic alone.
    'renewal-invoice-payment-declined': '',
    subscription: `activated canceled churned completed downgraded upgraded modified reactivated first_payment_received
      trial_started trial_ended trial_converted line_items.changed invoice.paid`,
  },
  'account:read': { platform_application: 'disconnected' },
  'webhooks:read': { 'webhooks/outgoing/endpoint': 'deactivated tested' },
};

export const EVENT_TYPE_FIELDS = {
  id: {
    type: 'text',
    description: 'The id that endpoints name it by, `<topic>.<event>`, such as `contact.created`.',
  },
  topic: { type: 'text', description: 'What it happens to, such as `contact` or `orders/invoice`.' },
  scope: {
    type: 'text',
    description: 'The scope that a client needs, besides `webhooks:write`, to subscribe to it.',
  },
} as const satisfies Fields;

export interface EventType extends RowOf<typeof EVENT_TYPE_FIELDS> {
  scope: EventScope;
}

/** Every type of event, in the order of their ids. */
export const EVENT_TYPES: readonly EventType[] = (
  Object.entries(CATALOGUE) as [EventScope, Readonly<Record<string, string>>][]
)
  .flatMap(([scope, topics]) =>
    Object.entries(topics).flatMap(([topic, events]) =>
      events.split(/\s+/).map((event) => ({ id: event === '' ? topic : `${topic}.${event}`, topic, scope })),
    ),
  )
  .toSorted((a, b) => (a.id < b.id ? -1 : 1));

const SCOPES = new Map(EVENT_TYPES.map(({ id, scope }) => [id, scope]));

/** Whether there is such a type of event. */
export function isEventType(id: string): boolean {
  return SCOPES.has(id);
}

/** What a caller needs to read the subjects of such events; null where there is no such type. */
export function scopeOfEventType(id: string): EventScope | null {
  return SCOPES.get(id) ?? null;
}
