// Limits the states of oidc-provider that unauthenticated clients can cause. They are counted (services/sign-in/oauth-admission.ts), and
// stored only after the library has validated the request.
import { Provider } from 'oidc-provider';
import type { App } from '../context.ts';
import { admitAuthorization, admitPushedRequest } from '../services/sign-in/oauth-admission.ts';
import type { NewState } from '../services/sign-in/oauth-records.ts';

/**
 * Counts a state before it is stored, if an unauthenticated client can cause it.
 * @returns whether the state is untrusted, and so takes one of a fixed number of slots
 * @throws AppError `too_many_requests`
 */
export async function admit(app: App, { model, id, payload }: NewState): Promise<boolean> {
  const { ctx } = Provider;
  // Outside the library's request handling, the gateway only writes states again that were admitted before.
  if (ctx === undefined) return false;
  if (model === 'Interaction' && ctx.oidc.entities.Interaction?.jti !== id) {
    const { accountId } = (payload['session'] ?? {}) as { accountId?: string };
    await admitAuthorization(app, { accountId, address: ctx.ip });
    return accountId === undefined;
  }
  if (model !== 'PushedAuthorizationRequest') return false;
  return admitPushedRequest(app, { clientId: ctx.oidc.client?.clientId, address: ctx.ip });
}
