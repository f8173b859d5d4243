import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { json } from '../support/walk.ts';

const gateway = await sharedGateway();
await factories.team(gateway.app, { name: 'Another' });
const createdAt = new Date('2026-02-03T04:05:06.007Z');
const team = await factories.team(gateway.app, { name: 'Ours', timeZone: 'Madrid', locale: 'es', createdAt });
const caller = await factories.apiKey(gateway.app, { teamId: team.id });

test('a team has its fields, and the list has the same object', async () => {
  const one = await json(await gateway.send(`/api/v2/teams/${team.id}`, { caller }));
  expect(one).toEqual({
    id: Number(team.id),
    public_id: team.publicId,
    name: 'Ours',
    time_zone: 'Madrid',
    locale: 'es',
    created_at: '2026-02-03T04:05:06.007Z',
    updated_at: team.updatedAt.toISOString(),
  });
  expect(await json(await gateway.send('/api/v2/teams', { caller }))).toEqual([one]);
});
