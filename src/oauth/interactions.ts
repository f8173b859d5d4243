// The pages between an authorization request and its response: signing in, then consent. A form is accepted only with its interaction's
// cookie and a valid signature.
import type { Engine } from './engine.ts';
import { refusalPage } from './error-pages.ts';
import { showConsent, submitConsent } from './interactions/consent.ts';
import { isOwnForm, openInteraction } from './interactions/interaction.ts';
import { showSignIn, submitSignIn } from './interactions/sign-in.ts';
import type { OauthRequest } from './oauth-request.ts';
import { EXPIRED_PAGE, START_AGAIN } from './pages/problem.ts';

/**
 * The page of an interaction, or the result of its form.
 * @throws AppError `unavailable` when the store does not answer
 */
export async function handleInteraction(engine: Engine, request: OauthRequest): Promise<Response> {
  const interaction = await openInteraction(engine, request);
  if (interaction === null) return refusalPage(request, 'bad_request', { ...EXPIRED_PAGE, status: 400 });
  const isSigningIn = interaction.details.prompt.name === 'login';
  if (request.raw.method !== 'POST') return isSigningIn ? showSignIn(interaction) : showConsent(interaction);
  const form = await request.form();
  if (!isOwnForm(interaction, form))
    return refusalPage(request, 'access_denied', {
      status: 403,
      title: 'This form is out of date',
      detail:
        'It was not made for this step, or not for you: perhaps you went on in another tab. Nothing was done.',
      advice: START_AGAIN,
    });
  return isSigningIn ? submitSignIn(interaction, form) : submitConsent(interaction, form);
}
