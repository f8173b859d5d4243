// The site of a workspace, which each has from the start: also a workspace that an older process creates during an upgrade.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { prismaOf } from '../support/prisma.ts';
import { expectProblem } from '../support/problem.ts';
import { json } from '../support/walk.ts';

const gateway = await sharedGateway();
const { id: teamId } = await factories.team(gateway.app);
const caller = await factories.apiKey(gateway.app, { teamId, scopes: ['funnels:read', 'funnels:write'] });
/** As such a process does. */
const made = (name: string) => factories.workspace(gateway.app, { teamId, name });
const send = (path: string, body?: object) =>
  gateway.send(`/api/v2/workspaces/${path}`, {
    ...{ caller, method: body === undefined ? 'GET' : 'PUT' },
    ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });

test('exists once from the first read, with the default theme', async () => {
  const { id } = await made('Old');
  const sites = await Promise.all([1, 2, 3].map(async () => json(await send(`${id}/site`))));
  expect(sites[0]).toMatchObject({ workspace_id: Number(id), name: 'Old' });
  expect(sites).toEqual([sites[0], sites[0], sites[0]]);
  const themes = await json(await send(`${id}/themes`));
  expect(themes).toMatchObject([{ name: 'Standard', styles: [{ name: 'Light' }] }]);
});

test('exists over GraphQL, and for a change', async () => {
  const [read, changed] = [await made('Read'), await made('Changed')];
  const query = `{ workspace(by: { databaseId: ${read.id} }) { site { name } } }`;
  const reader = await factories.apiKey(gateway.app, { teamId, scopes: ['read'] });
  const { data } = await post(gateway, { query }, { caller: reader });
  expect(data).toEqual({ workspace: { site: { name: 'Read' } } });
  expect(await json(await send(`${changed.id}/site`, { name: 'Ours' }))).toMatchObject({ name: 'Ours' });
});

test("is not created for another team's workspace", async () => {
  const other = await factories.workspace(gateway.app);
  await expectProblem(await send(`${other.id}/site`), 'not_found');
  expect(await prismaOf(gateway.app.store).site.count({ where: { workspaceId: other.id } })).toBe(0);
});
