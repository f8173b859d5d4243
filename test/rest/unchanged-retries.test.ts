// The retry of a change without an effect, of which no copy is stored (src/store/changing/idempotency-records.ts).
import { expect, test } from 'vitest';
import { apiKey, webhookEndpoint, workspace } from '../support/factories.ts';
import { createGateway } from '../support/gateway.ts';

test('a retry gets the first answer, also from a record without the object’s state', async () => {
  const gateway = await createGateway();
  try {
    const { id: workspaceId, teamId } = await workspace(gateway.app);
    const caller = await apiKey(gateway.app, { teamId });
    const { id } = await webhookEndpoint(gateway.app, { workspaceId });
    const path = `/api/v2/webhooks/outgoing/endpoints/${id}`;
    const send = async (method: string, to: string, body: object, key?: string) => {
      const headers = { 'Content-Type': 'application/json', ...(key && { 'Idempotency-Key': `"${key}"` }) };
      const response = await gateway.send(to, { caller, method, headers, body: JSON.stringify(body) });
      expect([200, to]).toEqual([response.status, to]);
      return (await response.json()) as { readonly name: string };
    };
    const { name } = await send('PATCH', path, { name: 'as it is' });
    const unchanged = () => send('PATCH', path, { name }, 'unchanged');
    const first = await unchanged();
    await send('POST', `${path}/redeliver`, { since: new Date().toISOString() });
    await send('PATCH', path, { name: 'another' });
    expect(await unchanged()).toEqual(first);
  } finally {
    await gateway.close();
  }
});
