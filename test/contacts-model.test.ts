// Contacts against a model: random changes over both faces, one after the other and in parallel, with idempotency keys and without,
// end in what the model says, and what was recorded of them explains every answer.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createClient } from './support/contacts/client.ts';
import { findUnchanged, requireHistory, type Sent } from './support/contacts/history.ts';
import { apply, keyOf, statusOf, type World } from './support/contacts/model.ts';
import { type Plan, plans } from './support/contacts/plans.ts';
import { createSession, type Session } from './support/contacts/session.ts';
import * as factories from './support/factories.ts';
import { ownGateway } from './support/gateway.ts';

const CLIENTS = 4;
const TIMEOUT_MS = 120_000;

const gateway = await ownGateway({ env: { POOL_SIZE: '8' } });
const teamId = (await factories.team(gateway.app)).id;
const caller = await factories.apiKey(gateway.app, { teamId });

/** A workspace with two contacts and two tags, made by changes as well. */
async function openSession(): Promise<Session> {
  const { id: workspaceId } = await factories.workspace(gateway.app, { teamId });
  const client = createClient(async (path, options) => {
    const response = await gateway.send(path, { caller, ...options });
    return { status: response.status, text: await response.text() };
  }, workspaceId);
  return createSession(client, workspaceId);
}

const check = ({ client, workspaceId, sent }: Session, haveTagsRaced: boolean) =>
  requireHistory({
    query: (text, values) => gateway.app.store.pool.query(text, values),
    ...{ client, workspaceId, sent, haveTagsRaced },
  });

const unchangedOf = ({ workspaceId, sent }: Session) =>
  findUnchanged({ query: (text, values) => gateway.app.store.pool.query(text, values), workspaceId, sent });

test(
  'one client: every answer is as the model predicts',
  async () => {
    const property = fc.asyncProperty(fc.array(plans(), { minLength: 10, maxLength: 30 }), async (list) => {
      const session = await openSession();
      const world: World = { contacts: new Map(), tags: new Map() };
      for (const { change, answer } of session.sent) apply(world, change, answer?.id ?? 0);
      for (const plan of list) {
        const { change, answers } = await session.send(plan);
        const status = statusOf(world, change);
        expect(
          answers.map((answer) => answer.status),
          JSON.stringify(change),
        ).toEqual(answers.map(() => status));
        if (status >= 300) continue;
        apply(world, change, idOf(change) ?? answers[0]?.id ?? 0);
      }
      for (const face of ['rest', 'graphql'] as const) {
        const address = 'ANN@example.com ';
        const known = [...world.contacts].filter(
          ([, state]) => keyOf(state?.texts.email_address) === keyOf(address),
        );
        expect(await session.client.find(address, face)).toEqual(known.map(([id]) => id));
      }
      await session.retryAll(await unchangedOf(session));
      expect(await check(session, false)).toEqual(world);
    });
    await fc.assert(property, { numRuns: 4, endOnFailure: true });
  },
  TIMEOUT_MS,
);

const idOf = (change: Sent['change']) =>
  'contact' in change ? change.contact : 'tag' in change ? change.tag : undefined;

// Where a tag is deleted while it is put on contacts, which came first is not told by the order of the audit trail; and what has been
// erased does not tell which tags it was about.
test.each([
  ['contacts are erased', ['removeTag'] as const],
  ['tags are deleted', ['erase'] as const],
])(
  'clients in parallel, where %s: some order of the changes explains it all',
  async (_, without) => {
    const ofClient = fc.array(plans(without), { minLength: 6, maxLength: 14 });
    const property = fc.asyncProperty(
      fc.tuple(...Array.from({ length: CLIENTS }, () => ofClient)),
      async (lists) => {
        const session = await openSession();
        await Promise.all(lists.map((list) => sendAll(session, list)));
        await session.retryAll(await unchangedOf(session));
        await check(session, true);
      },
    );
    // Another run of the same changes is another race: to shrink them tells nothing.
    await fc.assert(property, { numRuns: 3, endOnFailure: true });
  },
  TIMEOUT_MS,
);

async function sendAll(session: Session, list: readonly Plan[]): Promise<void> {
  for (const plan of list) {
    const { answers } = await session.send(plan);
    for (const { status } of answers) expect([200, 201, 204, 404, 410, 422]).toContain(status);
  }
}
