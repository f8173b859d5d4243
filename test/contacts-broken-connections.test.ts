// Connections to PostgreSQL that break at every moment of a change: the client sends the same request again with its key until it is
// answered, and the change was made once, with its record.
import { afterAll, expect, test } from 'vitest';
import { createClient } from './support/contacts/client.ts';
import { findUnchanged, requireHistory } from './support/contacts/history.ts';
import type { Change } from './support/contacts/model.ts';
import { createRetrying } from './support/contacts/retrying.ts';
import { createSession, type Session } from './support/contacts/session.ts';
import * as factories from './support/factories.ts';
import { createGateway } from './support/gateway.ts';
import { createNetwork, type Network } from './support/network.ts';
import { sampleAt } from './support/nightly.ts';

const MAX_ATTEMPTS = 20;
/** More than any change sends: if nothing was broken, all moments were tried. */
const MOMENTS = Array.from({ length: 30 }, (_, index) => index);

let network: Network;

const gateway = await createGateway({
  async through(url) {
    network = await createNetwork(url);
    return network.url;
  },
});
const teamId = (await factories.team(gateway.app)).id;
const caller = await factories.apiKey(gateway.app, { teamId });
afterAll(async () => {
  await gateway.close();
  await network.close();
});

/** In a workspace with two contacts, of which the first gets two tags. */
async function openSession(): Promise<Session> {
  const { id: workspaceId } = await factories.workspace(gateway.app, { teamId });
  const { send } = createRetrying(async (path, options) => {
    const response = await gateway.send(path, { caller, ...options });
    return { status: response.status, text: await response.text() };
  }, MAX_ATTEMPTS);
  const session = await createSession(createClient(send, workspaceId), workspaceId);
  await session.send({
    change: { verb: 'apply', contact: 0, tag: 0 },
    ...{ face: 'rest', copies: 0 },
  });
  return session;
}

const CHANGES: readonly (readonly [Change['verb'], 'rest' | 'graphql', Change])[] = [
  ['create', 'rest', { verb: 'create', members: { email_address: 'new@example.com', tag_ids: [0, 1] } }],
  ['upsert', 'rest', { verb: 'upsert', members: { email_address: 'ann@example.com', first_name: 'Ann' } }],
  ['update', 'graphql', { verb: 'update', contact: 1, members: { phone_number: '+1', tag_ids: [1] } }],
  ['remove', 'graphql', { verb: 'remove', contact: 0 }],
  ['erase', 'rest', { verb: 'erase', contact: 0 }],
  ['apply', 'rest', { verb: 'apply', contact: 0, tag: 1 }],
  ['unapply', 'graphql', { verb: 'unapply', contact: 0, tag: 0 }],
];

test.each(CHANGES)(
  '%s over %s takes effect once, wherever its connection breaks',
  async (verb, face, change) => {
    let breaks = 0;
    for (const moment of ['request', 'answer'] as const) {
      for (const after of sampleAt(`${verb} ${moment}`, MOMENTS, 5)) {
        const session = await openSession();
        const planned = network.breakNext(after, moment);
        const { answers } = await session.send({ change, face, copies: 1 });
        planned.cancel();
        expect(answers[0]?.status, `broken after ${after}, at the ${moment}`).toBeLessThan(300);
        const query = (text: string, values: unknown[]) => gateway.app.store.pool.query(text, values);
        await session.retryAll(await findUnchanged({ query, ...session }));
        await requireHistory({
          query,
          ...{
            client: session.client,
            workspaceId: session.workspaceId,
            sent: session.sent,
            haveTagsRaced: false,
          },
        });
        if (!planned.hasHappened) break;
        breaks++;
      }
    }
    // Who asks is looked up, and the change is made: a moment each before and after, of which samples are taken.
    expect(breaks).toBeGreaterThanOrEqual(1);
  },
  120_000,
);
