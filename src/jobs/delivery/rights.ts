// Whether an endpoint's subscriber still has the right to an event. Answers are cached like keys and hosts (auth/lookups.ts), and discarded
// when a revocation is announced.
import type { mayReceive } from '../../services/webhook-rights.ts';

type Ask = typeof mayReceive;

const YES = {};

/**
 * Caches positive answers only, until a change of rights is announced or an announcement may have been missed. Missing rights are not
 * cached, because new rights are not announced, and the endpoint would be deactivated again.
 */
export function createRights(ask: Ask): Ask {
  return async (app, subscription, eventType) => {
    const { workspaceId, actorKind, actorId, clientId } = subscription;
    const name = JSON.stringify([`${workspaceId}`, actorKind, actorId, clientId, eventType]);
    const may = await app.lookups.remember(`rights ${name}`, async () =>
      (await ask(app, subscription, eventType)) ? YES : null,
    );
    return may !== null;
  };
}
