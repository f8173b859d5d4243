// A mutation whose answer the client could not read is refused before it is done.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { digest } from '../support/hostile.ts';

const gateway = await ownGateway();
const workspace = await factories.workspace(gateway.app);
const caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });
const query = `mutation { createContactTag(input: { workspaceId: "${btoa(`Workspace:${workspace.id}`)}", name: "NAME" }) { __typename } }`;

const send = (name: string, accept: string) =>
  gateway.send('/graphql', {
    ...{ caller, method: 'POST' },
    headers: { Accept: accept, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: query.replace('NAME', name) }),
  });

test.each([
  'application/xml',
  'text/html',
  ';',
  ',',
  '/',
  'json',
  'application/json;charset=utf-16',
  'application/*;charset=latin1, image/*',
])('not for %s', async (accept) => {
  const before = await digest(gateway);
  const response = await send(accept, accept);
  expect(response.status).toBe(406);
  expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  expect(await response.json()).toEqual({
    errors: [
      {
        message: expect.stringContaining('Accept'),
        extensions: { code: 'BAD_REQUEST', requestId: response.headers.get('X-Request-Id') },
      },
    ],
  });
  expect(await digest(gateway)).toEqual(before);
});

test.each([
  '',
  '*/*',
  'text/*',
  'application/*',
  'Application/JSON; q=0.5',
  'image/png, application/graphql-response+json',
  'multipart/mixed',
])('but for "%s"', async (accept) => {
  const response = await send(`for ${accept}`, accept);
  expect([response.status, await response.text()]).toEqual([
    200,
    expect.stringContaining('"createContactTag":{'),
  ]);
});
