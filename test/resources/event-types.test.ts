// The catalogue of event types.
import { expect, test } from 'vitest';
import { SCOPES } from '../../src/auth/scopes.ts';
import { EVENT_TYPES, isEventType, scopeOfEventType } from '../../src/resources/event-types.ts';

test('each type occurs once, with its topic and an existing scope', () => {
  const ids = EVENT_TYPES.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
  for (const { id, topic, scope } of EVENT_TYPES) {
    expect(id.split('.')[0]).toBe(topic);
    expect(SCOPES).toContain(scope);
    expect(scopeOfEventType(id)).toBe(scope);
  }
});

test('documented types exist under the same spelling, whatever their noun', () => {
  const documented = [
    'contact.identified',
    'contacts/applied_tag.created',
    'one-time-order.invoice.paid',
    'one_time_order.refunded',
    'subscription.line_items.changed',
  ];
  expect(documented.filter((id) => !isEventType(id))).toEqual([]);
});

test.each(['contact', 'contact.tagged', 'Contact.created', '', 'constructor', '1'])('%j is no type', (id) => {
  expect(isEventType(id)).toBe(false);
  expect(scopeOfEventType(id)).toBeNull();
});
