// The page where a person sees and withdraws what they granted. They can sign in here without any application, and get the
// same session as with one.
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { scopeSentence } from '../auth/scopes.ts';
import { AppError } from '../errors.ts';
import { listOfUser, withdraw } from '../services/oauth-consents.ts';
import { endSession, loginTsNow, personOf, secondsLeft } from '../services/sessions.ts';
import { signIn } from '../services/sign-in.ts';
import type { UserRow } from '../services/users.ts';
import { readDevices, withDevice } from './device-cookie.ts';
import { ACCOUNT_PATH } from './endpoints.ts';
import type { Engine } from './engine.ts';
import { toSignInError } from './interactions/sign-in.ts';
import type { OauthRequest } from './oauth-request.ts';
import { accountPage, parseAccountForm } from './pages/account.ts';
import { parseSignIn, signInPage } from './pages/sign-in.ts';
import { refusalPage } from './refusals.ts';

const PURPOSE = 'account form';
/** Ties the sign-in form to the browser that got it, which has no session yet. */
const BROWSER_COOKIE = 'fgw_browser';

/** What the page says after one of its forms, by the value of `notice` in its address: no other text can get there. */
const NOTICES = { withdrawn: 'Access withdrawn.', signed_out: 'You are signed out.' } as const;

type Notice = keyof typeof NOTICES;
type Session = InstanceType<Provider['Session']>;

/** One request to the page, with the session that it belongs to. */
interface PageRequest {
  readonly engine: Engine;
  readonly request: OauthRequest;
  readonly provider: Provider;
  readonly ctx: KoaContextWithOIDC;
  readonly session: Session;
  /** Who is signed in. */
  readonly user: UserRow | null;
  /** The response with the cookies that were set meanwhile. */
  readonly respond: (response: Response) => Promise<Response>;
}

/**
 * The account page, or what one of its forms leads to.
 * @throws AppError `unavailable` when the store cannot be asked
 */
export async function handleAccount(engine: Engine, request: OauthRequest): Promise<Response> {
  const page = await openPage(engine, request);
  const isPost = request.raw.method === 'POST';
  if (!isPost) return page.user === null ? showSignIn(page) : showGrants(page, page.user);
  const form = await request.form();
  const secret = page.user === null ? browserIdOf(page) : page.session.jti;
  if (secret === undefined || !engine.app.keyring.isSigned(PURPOSE, secret, form.get('csrf') ?? ''))
    return page.respond(
      refusalPage(request, 'access_denied', {
        status: 403,
        title: 'This form is not ours',
        detail: 'Open your account page again.',
      }),
    );
  return page.user === null ? submitSignIn(page, form) : submitAccountForm(page, page.user, form);
}

async function openPage(engine: Engine, request: OauthRequest): Promise<PageRequest> {
  const { app } = engine;
  const provider = await engine.provider();
  const { req, res } = engine.toNode(request);
  const ctx = provider.createContext(req, res) as KoaContextWithOIDC;
  const session = await provider.Session.get(ctx);
  return {
    engine,
    request,
    provider,
    ctx,
    session,
    user: await personOf(app, session),
    async respond(response) {
      for (const [name, value] of response.headers) res.setHeader(name, value);
      res.statusCode = response.status;
      res.end(Buffer.from(await response.arrayBuffer()));
      return res.done;
    },
  };
}

/** @param failed what was entered before, and why it was refused */
function showSignIn(
  page: PageRequest,
  failed?: { email: string; error: string; retryAfterSeconds?: number },
): Promise<Response> {
  const { app } = page.engine;
  const browserId = browserIdOf(page) ?? crypto.randomUUID();
  page.ctx.cookies.set(BROWSER_COOKIE, browserId, { ...cookieOptions(page), path: pathOf(page) });
  const csrf = app.keyring.sign(PURPOSE, browserId);
  const notice = failed === undefined ? noticeOf(page, 'signed_out') : undefined;
  return page.respond(signInPage({ clientName: null, action: pathOf(page), csrf, notice, ...failed }));
}

async function submitSignIn(page: PageRequest, form: URLSearchParams): Promise<Response> {
  const { provider, ctx, engine, request } = page;
  const { app } = engine;
  const { email, password } = parseSignIn(form);
  const loginTs = loginTsNow(app);
  let user: UserRow;
  try {
    const { address, signal } = request;
    user = await signIn(app, { email, password, address, devices: readDevices(app, request), signal });
  } catch (error) {
    return showSignIn(page, { email, ...toSignInError(error, request) });
  }
  // A new session, so that whoever knew the id of the one before is not signed in by this (RFC 6265 §8.4).
  const session = new provider.Session();
  session.loginAccount({ accountId: user.publicId, loginTs });
  await session.save(secondsLeft(app, session));
  ctx.cookies.set(provider.cookieName('session'), session.jti, cookieOptions(page));
  return withDevice(app, request, await redirectToPage(page), { user, loginTs });
}

async function showGrants(page: PageRequest, user: UserRow): Promise<Response> {
  const { app } = page.engine;
  const grants = await listOfUser(app, user.id);
  return page.respond(
    accountPage({
      user,
      grants: grants.map((grant) => ({
        ...grant,
        workspaces: grant.workspaces?.map(({ name }) => name) ?? null,
        scopes: grant.scopes.map(scopeSentence),
      })),
      action: pathOf(page),
      csrf: app.keyring.sign(PURPOSE, page.session.jti),
      notice: noticeOf(page, 'withdrawn'),
    }),
  );
}

async function submitAccountForm(
  page: PageRequest,
  user: UserRow,
  fields: URLSearchParams,
): Promise<Response> {
  const { app } = page.engine;
  const form = parseAccountForm(fields);
  if (form?.decision === 'sign_out') {
    await endSession(app, page.session.uid);
    page.ctx.cookies.set(page.provider.cookieName('session'), null, cookieOptions(page));
    return redirectToPage(page, 'signed_out');
  }
  if (form?.decision !== 'withdraw') return redirectToPage(page);
  try {
    await withdraw(app, user.id, form.grant);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return redirectToPage(page);
    throw error;
  }
  return redirectToPage(page, 'withdrawn');
}

/** Redirects to the page itself, so that reloading it sends no form again. */
function redirectToPage(page: PageRequest, notice?: Notice): Promise<Response> {
  const location = pathOf(page) + (notice === undefined ? '' : `?notice=${notice}`);
  return page.respond(new Response(null, { status: 303, headers: { location } }));
}

/** The sentence, if the page's address has this notice. */
function noticeOf({ request }: PageRequest, notice: Notice): string | undefined {
  const given = new URL(request.raw.url).searchParams.get('notice');
  return given === notice ? NOTICES[notice] : undefined;
}

function browserIdOf({ ctx }: PageRequest): string | undefined {
  return ctx.cookies.get(BROWSER_COOKIE, { signed: true });
}

function pathOf({ engine }: PageRequest): string {
  return engine.base + ACCOUNT_PATH;
}

function cookieOptions({ ctx }: PageRequest) {
  return { signed: true, httpOnly: true, sameSite: 'lax', secure: ctx.secure, overwrite: true } as const;
}
