// Building a workflow over REST: conditional splits and split tests, as the public facts say, and what is refused.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { expectProblem } from '../support/problem.ts';
import { type Built, build } from '../support/removals.ts';
import { json } from '../support/walk.ts';

const gateway = await sharedGateway();
const { id: workspaceId, teamId } = await factories.workspace(gateway.app);
const caller = await factories.apiKey(gateway.app, { teamId });

const send = (path: string, method = 'GET', body?: unknown, headers: Record<string, string> = {}) =>
  gateway.send(`/api/v2${path}`, {
    caller,
    method,
    headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const splitsOf = ({ funnel }: Built) => `/funnels/${funnel.id}/conditional_split_steps`;
const testsOf = ({ funnel }: Built) => `/funnels/${funnel.id}/split_test_steps`;

test('an empty split', async () => {
  const built = await build(gateway, workspaceId, ['Entry', 'Thanks']);
  const response = await send(splitsOf(built), 'POST', {});
  console.log(response.status, await response.text());
});
