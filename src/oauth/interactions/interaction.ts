// An interaction of oidc-provider: the steps between an authorization request and its response. One object for each request to its pages.
import { errors, type Provider } from 'oidc-provider';
import type { App } from '../../context.ts';
import { findClient, isEnabled, type OauthClient } from '../../services/sign-in/oauth-records.ts';
import { endSession } from '../../services/sign-in/sessions.ts';
import { ENDPOINTS } from '../endpoints.ts';
import type { Engine } from '../engine.ts';
import type { OauthRequest } from '../oauth-request.ts';

const PURPOSE = 'interaction form';

type Details = Awaited<ReturnType<Provider['interactionDetails']>>;
type Result = Parameters<Provider['interactionFinished']>[2];

/** One request to the page of one interaction. */
export interface Interaction {
  readonly app: App;
  readonly request: OauthRequest;
  readonly provider: Provider;
  readonly details: Details;
  readonly client: OauthClient;
  /** The data for each of its pages. */
  readonly page: { readonly action: string; readonly csrf: string; readonly formAction: readonly string[] };
  /** Redirects the person to the next page, or back to the client. */
  readonly finish: (result: Result) => Promise<Response>;
}

/** The result when the person denies. */
export const DENIED = { error: 'access_denied', error_description: 'The person refused.' };

/** The interaction of a request; null when the browser has no such interaction, or it has ended. */
export async function openInteraction(
  { app, base, provider: running, toNode }: Engine,
  request: OauthRequest,
): Promise<Interaction | null> {
  const provider = await running();
  const { req, res, done } = toNode(request);
  let details: Details;
  try {
    details = await provider.interactionDetails(req, res);
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return null;
    throw error;
  }
  if (details.uid !== request.params['uid']) return null;
  const client = await findClient(app, String(details.params['client_id']));
  if (client === null || !isEnabled(client, app.clock())) return null;
  request.facts.client = client.id;
  return {
    app,
    request,
    provider,
    details,
    client,
    page: {
      action: `${base}${ENDPOINTS.interaction}/${details.uid}`,
      csrf: app.keyring.sign(PURPOSE, csrfSubject(details)),
      formAction: [String(details.params['redirect_uri'])],
    },
    async finish(result) {
      await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: !('error' in result) });
      return done;
    },
  };
}

/** Whether a form was made for this step of the interaction. */
export function isOwnForm({ app, details }: Interaction, form: URLSearchParams): boolean {
  return app.keyring.isSigned(PURPOSE, csrfSubject(details), form.get('csrf') ?? '');
}

/** The text that a form's signature covers: this prompt of this interaction, for this person. */
function csrfSubject({ uid, prompt, session }: Details): string {
  return [uid, prompt.name, session?.accountId ?? ''].join(' ');
}

/** Signs the person out. The authorization request stays. */
export async function signOut({ app, details }: Interaction): Promise<void> {
  if (details.session !== undefined) await endSession(app, details.session.uid);
  delete (details as { session?: unknown }).session;
  await details.persist();
}
