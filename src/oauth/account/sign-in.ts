// Sign-in on the account page itself, without an application.

import { type FailedSignIn, signInBy } from '../interactions/sign-in.ts';
import { parseSignIn, signInPage } from '../pages/sign-in.ts';
import {
  type AccountPageRequest,
  cookieOptions,
  noticeOf,
  PURPOSE,
  pathOf,
  startSession,
} from './page-request.ts';

/** Binds the sign-in form to its browser, which has no session yet. */
const BROWSER_COOKIE = 'fgw_browser';

/** The form. @param failed the previous input, and why it was refused */
export function showAccountSignIn(page: AccountPageRequest, failed?: FailedSignIn): Promise<Response> {
  const { app } = page.engine;
  const browserId = browserIdOf(page) ?? crypto.randomUUID();
  page.ctx.cookies.set(BROWSER_COOKIE, browserId, { ...cookieOptions(page), path: pathOf(page) });
  const csrf = app.keyring.sign(PURPOSE, browserId);
  const notice = failed === undefined ? noticeOf(page, 'signed_out') : undefined;
  return page.respond(signInPage({ clientName: null, action: pathOf(page), csrf, notice, ...failed }));
}

/** Handles the form: redirects to the account page, or shows the form again with an error. */
export async function submitAccountSignIn(
  page: AccountPageRequest,
  form: URLSearchParams,
): Promise<Response> {
  const signedIn = await signInBy(page.engine.app, page.request, parseSignIn(form));
  return 'error' in signedIn
    ? showAccountSignIn(page, signedIn)
    : startSession(page, signedIn.user, signedIn.loginTs);
}

/** The id that signs the form of a browser without a session; undefined when the browser has none. */
export function browserIdOf({ ctx }: AccountPageRequest): string | undefined {
  return ctx.cookies.get(BROWSER_COOKIE, { signed: true });
}
