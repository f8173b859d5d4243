// Tags on orders over REST: applied once however often a client applies them, and shown with their order.
import { expect, test } from 'vitest';
import { NOUNS } from '../../../src/resources/nouns.ts';
import * as factories from '../../support/factories.ts';
import { sharedGateway } from '../../support/gateway.ts';
import { createTenant } from '../../support/operations.ts';

const gateway = await sharedGateway();
const tenant = await createTenant(gateway.app, 'tags of orders');
const caller = await factories.apiKey(gateway.app, { teamId: tenant.team.id });

/** What the gateway answers: the status, and the object. */
async function send(method: string, path: string, body?: object) {
  const headers = { 'Content-Type': 'application/json' };
  const response = await gateway.send(`/api/v2${path}`, {
    ...{ caller, method, headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    object: text === '' ? null : JSON.parse(text),
    etag: response.headers.get('etag'),
  };
}

const noun = (type: string) => NOUNS.find((one) => one.type === type) ?? expect.fail(type);
const anOrder = () =>
  factories.any(
    gateway.app,
    noun('Order'),
    (type) => tenant.rows[type as keyof typeof tenant.rows]?.id,
    'tagged',
  );
const newTag = async (name: string) =>
  (await send('POST', `/workspaces/${tenant.workspace.id}/orders/tags`, { orders_tag: { name } })).object;

test('a tag is applied once: a repetition gets 200 with the tag, and the order includes it', async () => {
  const { id: orderId } = await anOrder();
  const [one, other] = [await newTag('Gift'), await newTag('Urgent')];
  expect(one).toMatchObject({ name: 'Gift', color: '#888888', workspace_id: Number(tenant.workspace.id) });
  const before = await send('GET', `/orders/${orderId}`);
  expect(before.object.tag_ids).toEqual([]);
  const apply = (tag_id: number) =>
    send('POST', `/orders/${orderId}/applied_tags`, { orders_applied_tag: { tag_id } });
  const made = await apply(other.id);
  expect([made.status, made.object]).toEqual([
    201,
    expect.objectContaining({ order_id: Number(orderId), tag_id: other.id, id: expect.any(Number) }),
  ]);
  expect(await apply(other.id)).toMatchObject({ status: 200, object: made.object });
  const answers = await Promise.all(Array.from({ length: 8 }, () => apply(one.id)));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201]);
  const after = await send('GET', `/orders/${orderId}`);
  expect(after.object.tag_ids).toEqual([other.id, one.id]);
  expect(after.etag).not.toBe(before.etag);
  expect(
    (await send('GET', `/orders/${orderId}/applied_tags`)).object.map(
      (row: { tag_id: number }) => row.tag_id,
    ),
  ).toEqual(after.object.tag_ids);
  expect((await send('DELETE', `/orders/applied_tags/${made.object.id}`)).status).toBe(204);
  expect((await send('DELETE', `/orders/applied_tags/${made.object.id}`)).status).toBe(404);
  expect((await send('GET', `/orders/${orderId}`)).object.tag_ids).toEqual([one.id]);
  // A tag that is deleted leaves its orders.
  expect((await send('DELETE', `/orders/tags/${one.id}`)).status).toBe(204);
  expect((await send('GET', `/orders/${orderId}`)).object.tag_ids).toEqual([]);
});

test('a name belongs to one tag, and only tags of the workspace can be applied', async () => {
  await newTag('Only one');
  const again = await send('POST', `/workspaces/${tenant.workspace.id}/orders/tags`, {
    orders_tag: { name: 'Only one' },
  });
  expect([again.status, again.object.errors[0].field]).toEqual([422, 'name']);
  const theirs = await createTenant(gateway.app, 'others');
  const { id: orderId } = await anOrder();
  const tagId = Number(theirs.rows['OrderTag']?.id);
  for (const tag_id of [tagId, 0, Number(tenant.tag.id) + 1_000_000]) {
    const refused = await send('POST', `/orders/${orderId}/applied_tags`, { orders_applied_tag: { tag_id } });
    expect([refused.status, refused.object.errors[0].field]).toEqual([422, 'tag_id']);
  }
});
