// Deliveries compared with those of the public service: the same members, of the same types.
import { expect, test } from 'vitest';
import { toDeliveryBody } from '../../src/jobs/delivery/attempt.ts';
import { capturedDelivery as captured } from './captured-delivery.ts';

const EVENT = {
  uuid: '11aa22bb-33cc-44dd-88ee-99ff00aa11bb',
  type: 'contact.identified',
  subjectType: 'Contact',
  subjectId: 592504162n,
  data: '{"id":592504162,"email_address":"ann@example.com"}',
  apiVersion: 2,
  createdAt: new Date('2026-11-22T10:00:00.5Z'),
  page: '{"id":19448806,"name":"Opt in","public_id":"PLxnGE"}',
  funnel: '{"id":753114,"name":"Launch","public_id":"jgPKGv"}',
};

/** The types of the members of an object, by name. */
const typesOf = (value: object) =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name, typeof member]));

test('a delivery has exactly the members and types of the captured one', () => {
  const sent = JSON.parse(toDeliveryBody(EVENT, 365069n));
  expect(typesOf(sent)).toEqual(typesOf(captured));
  expect(typesOf(sent.page)).toEqual(typesOf(captured.page));
  expect(typesOf(sent.funnel)).toEqual(typesOf(captured.funnel));
});

test('ids and times are written as in the captured one', () => {
  const sent = JSON.parse(toDeliveryBody(EVENT, 365069n));
  const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
  const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
  for (const { event_id, created_at } of [sent, captured]) {
    expect(event_id).toMatch(UUID);
    expect(created_at).toMatch(TIME);
  }
});

test('an event without a page has null for its page and its funnel', () => {
  const sent = JSON.parse(toDeliveryBody({ ...EVENT, page: 'null', funnel: 'null' }, 1n));
  expect([sent.page, sent.funnel]).toEqual([null, null]);
});

test('data is byte for byte that of the event, also large numbers', () => {
  const data = '{ "id" : 9007199254740993, "price": 1.10, "text": "\\u2028 <&>" }';
  expect(toDeliveryBody({ ...EVENT, data, subjectId: 2n ** 62n }, 2n ** 61n)).toContain(`"data":${data},`);
  expect(toDeliveryBody({ ...EVENT, subjectId: 2n ** 62n }, 2n ** 61n)).toContain(
    '"subject_id":4611686018427387904,',
  );
});
