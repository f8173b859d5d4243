// The sign-in step of an interaction.
import type { App } from '../../context.ts';
import { AppError } from '../../errors.ts';
import type { PersonRow } from '../../services/accounts/users.ts';
import { takeBackAuthorization } from '../../services/sign-in/oauth-admission.ts';
import { loginTsNow } from '../../services/sign-in/sessions.ts';
import { signIn } from '../../services/sign-in/sign-in.ts';
import { readDevices, withDevice } from '../device-cookie.ts';
import type { OauthRequest } from '../oauth-request.ts';
import { parseSignIn, signInPage } from '../pages/sign-in.ts';
import { waitSentence } from '../pages/waiting.ts';
import { DENIED, type Interaction, signOut } from './interaction.ts';

/** The page. */
export function showSignIn({ client, page }: Interaction): Response {
  return signInPage({ ...page, clientName: client.name });
}

/** Handles the form: leads to the next step, or shows the page again with an error. */
export async function submitSignIn(interaction: Interaction, fields: URLSearchParams): Promise<Response> {
  const { app, request, client, page, finish } = interaction;
  const { decision, email, password } = parseSignIn(fields);
  if (decision === 'deny') return finish(DENIED);
  const { address, signal } = request;
  const devices = readDevices(app, request);
  const ts = loginTsNow(app);
  try {
    const user = await signIn(app, { email, password, address, devices, signal });
    await takeBackAuthorization(app, address);
    await endOtherSession(interaction, user);
    const answer = await finish({ login: { accountId: user.publicId, ts } });
    return withDevice(app, request, answer, { user, loginTs: ts });
  } catch (error) {
    return signInPage({ ...page, clientName: client.name, email, ...toSignInError(app, error, request) });
  }
}

/** Signs out the previous person if it is another one; the library would ask for confirmation on its own page. */
async function endOtherSession(interaction: Interaction, user: PersonRow): Promise<void> {
  const accountId = interaction.details.session?.accountId;
  if (accountId !== undefined && accountId !== user.publicId) await signOut(interaction);
}

/**
 * The sign-in page's message for a failed attempt, with the waiting time if there is one. Also sets the reason in the log line.
 * @throws any other error
 */
export function toSignInError(
  app: App,
  error: unknown,
  { facts }: Pick<OauthRequest, 'facts'>,
): { error: string; retryAfterSeconds?: number } {
  if (!(error instanceof AppError) || !['unauthenticated', 'too_many_requests'].includes(error.code))
    throw error;
  const { code, message, retryAfterSeconds } = error;
  facts.refusal = { code, reason: message };
  if (retryAfterSeconds === undefined) return { error: message };
  return { error: `${message} ${waitSentence(retryAfterSeconds, app.clock())}`, retryAfterSeconds };
}
