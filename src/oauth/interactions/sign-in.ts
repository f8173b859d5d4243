// The sign-in step of an interaction.
import type { App } from '../../context.ts';
import { AppError } from '../../errors.ts';
import type { PersonRow } from '../../services/accounts/users.ts';
import { takeBackAuthorization } from '../../services/sign-in/oauth-admission.ts';
import { loginTsNow } from '../../services/sign-in/sessions.ts';
import { signIn } from '../../services/sign-in/sign-in.ts';
import { readDevices, withDevice } from '../device-cookie.ts';
import type { OauthRequest } from '../oauth-request.ts';
import { parseSignIn, type SignInData, type SignInForm, signInPage } from '../pages/sign-in.ts';
import { waitSentence } from '../pages/waiting.ts';
import { DENIED, type Interaction, signOut } from './interaction.ts';

/** The page. */
export function showSignIn({ client, page }: Interaction): Response {
  return signInPage({ ...page, clientName: client.name });
}

/** Handles the form: redirects to the next step, or shows the page again with an error. */
export async function submitSignIn(interaction: Interaction, fields: URLSearchParams): Promise<Response> {
  const { app, request, client, page, finish } = interaction;
  const form = parseSignIn(fields);
  if (form.decision === 'deny') return finish(DENIED);
  const signedIn = await signInBy(app, request, form);
  if ('error' in signedIn) return signInPage({ ...page, clientName: client.name, ...signedIn });
  const { user, loginTs } = signedIn;
  await takeBackAuthorization(app, request.address);
  await endOtherSession(interaction, user);
  const answer = await finish({ login: { accountId: user.publicId, ts: loginTs } });
  return withDevice(app, request, answer, signedIn);
}

/** The data of a failed attempt for the sign-in page. */
export type FailedSignIn = Required<Pick<SignInData, 'email' | 'error'>> &
  Pick<SignInData, 'retryAfterSeconds'>;

/** Signs out the previous person if another one signs in. The library would ask for confirmation on its own page. */
async function endOtherSession(interaction: Interaction, user: PersonRow): Promise<void> {
  const accountId = interaction.details.session?.accountId;
  if (accountId !== undefined && accountId !== user.publicId) await signOut(interaction);
}

/**
 * Signs in with the fields of the form. Returns the person and the time; or, for a failed attempt, the data for the sign-in page, with the
 * waiting time if there is one. A failed attempt adds its reason to the log line.
 * @throws any other error
 */
export async function signInBy(
  app: App,
  request: OauthRequest,
  { email, password }: SignInForm,
): Promise<{ user: PersonRow; loginTs: number } | FailedSignIn> {
  const { address, signal, facts } = request;
  const loginTs = loginTsNow(app);
  try {
    const devices = readDevices(app, request);
    return { user: await signIn(app, { email, password, address, devices, signal }), loginTs };
  } catch (error) {
    if (!(error instanceof AppError) || !['unauthenticated', 'too_many_requests'].includes(error.code))
      throw error;
    const { code, message, retryAfterSeconds } = error;
    facts.refusal = { code, reason: message };
    if (retryAfterSeconds === undefined) return { email, error: message };
    return { email, error: `${message} ${waitSentence(retryAfterSeconds, app.clock())}`, retryAfterSeconds };
  }
}
