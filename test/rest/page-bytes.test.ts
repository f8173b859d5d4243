// A page of a list has at most MAX_ANSWER_BYTES, whatever `expand[]` adds.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';

const MAX_BYTES = 100_000;
const PAGES = 6;

const gateway = await ownGateway({ env: { MAX_ANSWER_BYTES: String(MAX_BYTES) } });
const { app } = gateway;
const { id: workspaceId, teamId } = await factories.workspace(app);
const caller = await factories.apiKey(app, { teamId });
for (let i = 0; i < PAGES; i++) await factories.page(app, workspaceId, `Page ${i}`);
const setMarkup = (chars: number) =>
  app.store.pool.query('update pages set markup = repeat($2, $3) where workspace_id = $1', [
    String(workspaceId),
    'x',
    chars,
  ]);

async function list(query: string) {
  const response = await gateway.send(`/api/v2/workspaces/${workspaceId}/pages?${query}`, { caller });
  const text = await response.text();
  return { status: response.status, length: text.length, body: JSON.parse(text) };
}

test('a larger page gets 422 with advice; without the long fields, or with fewer objects, it is answered', async () => {
  await setMarkup(30_000);
  expect(await list('expand[]=markup')).toMatchObject({
    status: 422,
    body: {
      code: 'invalid',
      errors: [
        {
          field: 'per_page',
          code: 'too_many',
          message: expect.stringContaining(`larger than ${MAX_BYTES} bytes`),
        },
      ],
    },
  });
  expect(await list('')).toMatchObject({ status: 200, body: { length: PAGES } });
  const fewer = await list('expand[]=markup&per_page=3');
  expect(fewer).toMatchObject({ status: 200, body: { length: 3 } });
  expect(fewer.length).toBeLessThanOrEqual(MAX_BYTES);
});

test('a page of one object is always answered, so that it can be read', async () => {
  await setMarkup(100_000);
  expect(await list('expand[]=markup&per_page=1')).toMatchObject({ status: 200, body: { length: 1 } });
  expect(await list('expand[]=markup&per_page=2')).toMatchObject({ status: 422 });
});
