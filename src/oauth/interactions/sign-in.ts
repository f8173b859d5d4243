// The step of an interaction in which a person signs in.
import type { App } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { takeBackAuthorization } from '../../services/oauth-admission.ts';
import { loginTsNow } from '../../services/sessions.ts';
import { signIn } from '../../services/sign-in.ts';
import type { PersonRow } from '../../services/users.ts';
import { readDevices, withDevice } from '../device-cookie.ts';
import type { OauthRequest } from '../oauth-request.ts';
import { parseSignIn, signInPage } from '../pages/sign-in.ts';
import { waitSentence } from '../pages/waiting.ts';
import { DENIED, type Interaction, signOut } from './interaction.ts';

/** The page. */
export function showSignIn({ client, page }: Interaction): Response {
  return signInPage({ ...page, clientName: client.name });
}

/** What the page's form leads to: the next step, or the page again with what is wrong. */
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

/** Signs the person out who was signed in before, if it is another one; the library would ask for that on a page of its own. */
async function endOtherSession(interaction: Interaction, user: PersonRow): Promise<void> {
  const accountId = interaction.details.session?.accountId;
  if (accountId !== undefined && accountId !== user.publicId) await signOut(interaction);
}

/** What the sign-in page says about a failed try: of waiting, also until when. The log line says it too. @throws any other error */
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
