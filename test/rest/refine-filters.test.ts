import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { json } from '../support/walk.ts';

const CRITERIA = [
  { attribute: 'email_address', clause: 'sw', value: 'a' },
  { attribute: 'tags.id', clause: 'in', value: ['1', '2'] },
  { attribute: 'created_at', clause: 'gt', value: { days: '30', modifier: 'ago' } },
  { attribute: 'unsubscribed_at', clause: 'nst' },
];

const gateway = await sharedGateway();
const filter = await factories.refineFilter(gateway.app, {
  name: 'Fans',
  criteria: CRITERIA,
  conjunction: 'or',
});
const { teamId } = await prismaOf(gateway.app.store).workspace.findUniqueOrThrow({
  where: { id: filter.workspaceId },
});
const caller = await factories.apiKey(gateway.app, { teamId });

test('a saved filter has its fields, and the list has the same object, complete or paged', async () => {
  const one = await json(await gateway.send(`/api/v2/refine_filters/${filter.id}`, { caller }));
  expect(one).toEqual({
    id: Number(filter.id),
    public_id: filter.publicId,
    workspace_id: Number(filter.workspaceId),
    name: 'Fans',
    filter_class: 'ContactsFilter',
    conjunction: 'or',
    criteria: CRITERIA,
    created_at: filter.createdAt.toISOString(),
    updated_at: filter.updatedAt.toISOString(),
  });
  for (const query of ['', '?after=0']) {
    const path = `/api/v2/workspaces/${filter.workspaceId}/refine_filters${query}`;
    expect(await json(await gateway.send(path, { caller }))).toEqual([one]);
  }
});
