// Visits in random batches, two at once, while connections to PostgreSQL break: whoever records them sends the same batch again until it is
// answered. Afterwards statistics and contacts are what plain queries over the raw rows say, and each visit was recorded once.
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import * as factories from './support/factories.ts';
import { createGateway } from './support/gateway.ts';
import { createNetwork, type Network } from './support/network.ts';
import { times } from './support/nightly.ts';
import { countedAndRaw } from './support/raw-visits.ts';

let network: Network;
const gateway = await createGateway({
  async through(url) {
    network = await createNetwork(url);
    return network.url;
  },
});
const { app } = gateway;
const teamId = (await factories.team(app)).id;
const caller = await factories.apiKey(app, { teamId });
afterAll(async () => {
  await gateway.close();
  await network.close();
});

const PEOPLE = 3;
const HOUR_MS = 3_600_000;

const visit = fc.record({
  uuid: fc.nat(30).map((number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`),
  who: fc.nat(2 * PEOPLE - 1),
  minutesAgo: fc.nat(600),
  utm: fc.boolean(),
});
const batch = fc.record({ page: fc.nat(1), visits: fc.array(visit, { minLength: 1, maxLength: 12 }) });
const step = fc.record({
  batches: fc.array(batch, { minLength: 1, maxLength: 2 }),
  broken: fc.option(fc.record({ after: fc.nat(12), moment: fc.constantFrom('request', 'answer') })),
});

test('statistics equal the raw rows after any failure, and each visit counts once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const { id: workspaceId } = await factories.workspace(app, { teamId });
      const contacts = await factories.contacts(app, workspaceId, PEOPLE);
      const pages = [
        await factories.page(app, workspaceId, 'One'),
        await factories.page(app, workspaceId, 'Two'),
      ];
      const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
      const sent = new Set<string>();
      const send = async ({ page, visits }: (typeof steps)[0]['batches'][0]): Promise<void> => {
        const body = JSON.stringify({
          visits: visits.map(({ uuid, who, minutesAgo, utm }) => ({
            uuid,
            ...(who < PEOPLE ? { contact_id: Number(contacts[who]) } : { visitor_id: `somebody ${who}` }),
            ...(utm && { utm_source: 'letter' }),
            started_at: new Date(now - minutesAgo * 60_000).toISOString(),
          })),
        });
        for (const { uuid } of visits) sent.add(`${page} ${uuid}`);
        for (let attempts = 0; attempts < 10; attempts++) {
          const { status } = await gateway.send(`/api/v2/pages/${pages[page]?.id}/visits`, {
            ...{ caller, method: 'POST', body },
            headers: { 'Content-Type': 'application/json' },
          });
          if (status === 202) return;
          expect(status).toBe(503);
        }
        throw new Error('It was never answered');
      };
      for (const { batches, broken } of steps) {
        const planned = broken && network.breakNext(broken.after, broken.moment as 'request' | 'answer');
        await Promise.all(batches.map(send));
        planned?.cancel();
      }
      const { counted, raw } = await countedAndRaw(app, workspaceId);
      expect(counted).toEqual(raw);
      const { rows } = await app.store.pool.query(
        'select count(*)::int as count from visits where workspace_id = $1',
        [workspaceId],
      );
      expect(rows).toEqual([{ count: sent.size }]);
    }),
    { numRuns: times(45), endOnFailure: true },
  );
});
