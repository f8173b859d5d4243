// Which states of oidc-provider anybody could cause to be kept, and so are counted (services/oauth-admission.ts): they are
// kept once the library has found the request valid.
import { Provider } from 'oidc-provider';
import type { App } from '../context.ts';
import { admitAuthorization, admitPushedRequest } from '../services/oauth-admission.ts';
import type { NewState } from '../services/oauth-states.ts';

/**
 * Counts a state that is about to be kept, if it is one that anybody could cause.
 * @returns whether it is untrusted, and so takes one of the slots that there are for such
 * @throws AppError `too_many_requests`
 */
export async function admit(app: App, { model, id, payload }: NewState): Promise<boolean> {
  const { ctx } = Provider;
  // Outside of the library's own request handling, only states that were admitted before are written again.
  if (ctx === undefined) return false;
  if (model === 'Interaction' && ctx.oidc.entities.Interaction?.jti !== id) {
    const { accountId } = (payload['session'] ?? {}) as { accountId?: string };
    await admitAuthorization(app, { accountId, address: ctx.ip });
    return accountId === undefined;
  }
  if (model !== 'PushedAuthorizationRequest') return false;
  return admitPushedRequest(app, { clientId: ctx.oidc.client?.clientId, address: ctx.ip });
}
