// The account page, where people see and withdraw their grants, and change their password. They can sign in here without an application,
// and get the same kind of session.
import { scopeSentence } from '../auth/scopes.ts';
import { AppError } from '../errors.ts';
import type { PersonRow } from '../services/accounts/users.ts';
import { listOfUser, withdraw } from '../services/sign-in/oauth-consents.ts';
import { changePassword } from '../services/sign-in/password-change.ts';
import { endSession } from '../services/sign-in/sessions.ts';
import {
  type AccountPageRequest,
  cookieOptions,
  noticeOf,
  openPage,
  PURPOSE,
  pathOf,
  redirectToPage,
  startSession,
} from './account/page-request.ts';
import { browserIdOf, showAccountSignIn, submitAccountSignIn } from './account/sign-in.ts';
import { readDevices } from './device-cookie.ts';
import type { Engine } from './engine.ts';
import { refusalPage } from './error-pages.ts';
import type { OauthRequest } from './oauth-request.ts';
import { type AccountForm, accountPage, parseAccountForm, withdrawalPage } from './pages/account.ts';
import type { PasswordFailure } from './pages/password.ts';
import { waitSentence } from './pages/waiting.ts';

/**
 * The account page, or the result of one of its forms.
 * @throws AppError `unavailable` when the store does not answer
 */
export async function handleAccount(engine: Engine, request: OauthRequest): Promise<Response> {
  const page = await openPage(engine, request);
  const isPost = request.raw.method === 'POST';
  if (!isPost) return page.user === null ? showAccountSignIn(page) : showAccount(page, page.user);
  const form = await request.form();
  const secret = page.user === null ? browserIdOf(page) : page.session.jti;
  if (secret === undefined || !engine.app.keyring.isSigned(PURPOSE, secret, form.get('csrf') ?? ''))
    return page.respond(
      refusalPage(request, 'access_denied', {
        status: 403,
        title: 'This form is out of date',
        detail:
          'It was not made for this browser, or you signed in or out since it was shown. Nothing was done.',
        advice: 'Open your account page again.',
      }),
    );
  return page.user === null ? submitAccountSignIn(page, form) : submitAccountForm(page, page.user, form);
}

/** @param failed why the password was not changed */
async function showAccount(
  page: AccountPageRequest,
  user: PersonRow,
  failed?: PasswordFailure,
): Promise<Response> {
  const { app } = page.engine;
  return page.respond(
    accountPage({
      user,
      grants: await grantsOf(page, user),
      action: pathOf(page),
      csrf: app.keyring.sign(PURPOSE, page.session.jti),
      failed,
      notice: failed === undefined ? noticeOf(page, 'withdrawn', 'password_changed') : undefined,
    }),
  );
}

async function grantsOf({ engine }: AccountPageRequest, user: PersonRow) {
  const grants = await listOfUser(engine.app, user.id);
  return grants.map((grant) => ({
    ...grant,
    workspaces: grant.workspaces?.map(({ name }) => name) ?? null,
    scopes: grant.scopes.map(scopeSentence),
  }));
}

/** Asks for confirmation before a grant is withdrawn. */
async function askToWithdraw(page: AccountPageRequest, user: PersonRow, publicId: string): Promise<Response> {
  const grant = (await grantsOf(page, user)).find((one) => one.publicId === publicId);
  if (grant === undefined) return redirectToPage(page);
  const csrf = page.engine.app.keyring.sign(PURPOSE, page.session.jti);
  return page.respond(withdrawalPage(grant, pathOf(page), csrf));
}

async function submitAccountForm(
  page: AccountPageRequest,
  user: PersonRow,
  fields: URLSearchParams,
): Promise<Response> {
  const { app } = page.engine;
  const form = parseAccountForm(fields);
  if (form?.decision === 'sign_out') {
    await endSession(app, page.session.uid);
    page.ctx.cookies.set(page.provider.cookieName('session'), null, cookieOptions(page));
    return redirectToPage(page, 'signed_out');
  }
  if (form?.decision === 'change_password') return submitPassword(page, user, form);
  if (form?.decision === 'ask_to_withdraw') return askToWithdraw(page, user, form.grant);
  if (form?.decision !== 'withdraw') return redirectToPage(page);
  try {
    await withdraw(app, user.id, form.grant);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return redirectToPage(page);
    throw error;
  }
  return redirectToPage(page, 'withdrawn');
}

async function submitPassword(
  page: AccountPageRequest,
  user: PersonRow,
  change: Extract<AccountForm, { decision: 'change_password' }>,
): Promise<Response> {
  const { engine, request, session } = page;
  const { app } = engine;
  const { address, signal } = request;
  try {
    const devices = readDevices(app, request);
    const { loginTs } = await changePassword(app, session, { ...change, address, devices, signal });
    return await startSession(page, user, loginTs, 'password_changed');
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, errors, retryAfterSeconds: wait } = error;
    request.facts.refusal = { code, reason: message };
    if (code === 'unauthenticated') return showAccountSignIn(page, { email: user.email, error: message });
    if (code === 'invalid') return showAccount(page, user, { field: errors[0]?.field, message });
    if (code !== 'too_many_requests' || wait === undefined) throw error;
    const sentence = `${message} ${waitSentence(wait, app.clock())}`;
    return showAccount(page, user, { message: sentence, retryAfterSeconds: wait });
  }
}
