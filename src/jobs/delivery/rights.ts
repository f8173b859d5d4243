// Whether whoever subscribed an endpoint may still be told of an event: remembered as keys and hosts are (auth/lookups.ts), which is
// forgotten when a revocation is announced.
import type { mayReceive } from '../../services/webhook-rights.ts';

type Ask = typeof mayReceive;

const YES = {};

/**
 * Asks again once a change of somebody's rights was announced, and whenever such an announcement could have been missed.
 * That somebody has no right is not remembered: rights that are new are not announced, and the endpoint would be deactivated again.
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
