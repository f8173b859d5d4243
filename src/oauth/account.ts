// The page where a person sees and withdraws what they granted. They sign in here without any application, into the same
// session as for one.
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { scopeSentence } from '../auth/scopes.ts';
import { AppError } from '../errors.ts';
import { listOfUser, withdraw } from '../services/oauth-grants.ts';
import { loginTsNow, personOf, secondsLeft } from '../services/sessions.ts';
import { signIn } from '../services/sign-in.ts';
import { deleteStateByUid } from '../store/oauth-states.ts';
import type { UserRow } from '../store/users.ts';
import { keepDevice, keptDevices } from './device-cookie.ts';
import { ACCOUNT_PATH } from './endpoints.ts';
import type { Engine } from './engine.ts';
import { whyNoSignIn } from './interactions.ts';
import type { Visit } from './oauth-request.ts';
import { accountPage, parseAccountForm } from './pages/account.ts';
import { problemPage } from './pages/problem.ts';
import { parseSignIn, signInPage } from './pages/sign-in.ts';

const PURPOSE = 'account form';
/** Ties the sign-in form to the browser that it was shown in, which has no session yet. */
const BROWSER_COOKIE = 'fgw_browser';

/** What the page says after one of its forms, by what stands for it in the page's address: nothing else is said there. */
const NOTICES = { withdrawn: 'Access withdrawn.', signed_out: 'You are signed out.' } as const;

type Notice = keyof typeof NOTICES;
type Session = InstanceType<Provider['Session']>;

/** One visit to the page. */
interface Desk {
  readonly engine: Engine;
  readonly visit: Visit;
  readonly provider: Provider;
  readonly ctx: KoaContextWithOIDC;
  readonly session: Session;
  /** Who is signed in. */
  readonly user: UserRow | null;
  /** The page, with the cookies that were set meanwhile. */
  readonly answer: (page: Response) => Promise<Response>;
}

/**
 * The account page, or what one of its forms leads to.
 * @throws AppError `unavailable` when the store cannot be asked
 */
export async function visitAccount(engine: Engine, visit: Visit): Promise<Response> {
  const desk = await openDesk(engine, visit);
  const isPost = visit.request.method === 'POST';
  if (!isPost) return desk.user === null ? showSignIn(desk) : showAccount(desk, desk.user);
  const form = await visit.form();
  const secret = desk.user === null ? browserOf(desk) : desk.session.jti;
  if (secret === undefined || !engine.app.keyring.isSigned(PURPOSE, secret, form.get('csrf') ?? ''))
    return desk.answer(
      problemPage({ status: 403, title: 'This form is not ours', detail: 'Open your account page again.' }),
    );
  return desk.user === null ? takeSignIn(desk, form) : takeAccount(desk, desk.user, form);
}

async function openDesk(engine: Engine, visit: Visit): Promise<Desk> {
  const { app } = engine;
  const provider = await engine.provider();
  const { req, res } = engine.toNode(visit);
  const ctx = provider.createContext(req, res) as KoaContextWithOIDC;
  const session = await provider.Session.get(ctx);
  return {
    engine,
    visit,
    provider,
    ctx,
    session,
    user: await personOf(app, session),
    async answer(page) {
      for (const [name, value] of page.headers) res.setHeader(name, value);
      res.statusCode = page.status;
      res.end(Buffer.from(await page.arrayBuffer()));
      return res.done;
    },
  };
}

function showSignIn(desk: Desk, again?: { email: string; error: string; retryAfterSeconds?: number }) {
  const { app } = desk.engine;
  const browser = browserOf(desk) ?? crypto.randomUUID();
  desk.ctx.cookies.set(BROWSER_COOKIE, browser, { ...cookieOptions(desk), path: pathOf(desk) });
  const csrf = app.keyring.sign(PURPOSE, browser);
  const notice = again === undefined ? noticeOf(desk, 'signed_out') : undefined;
  return desk.answer(signInPage({ clientName: null, action: pathOf(desk), csrf, notice, ...again }));
}

async function takeSignIn(desk: Desk, form: URLSearchParams): Promise<Response> {
  const { provider, ctx, engine, visit } = desk;
  const { email, password } = parseSignIn(form);
  const loginTs = loginTsNow(engine.app);
  let user: UserRow;
  try {
    const { address, signal } = visit;
    const devices = keptDevices(engine.app, visit);
    user = await signIn(engine.app, { email, password, address, devices, signal });
  } catch (error) {
    return showSignIn(desk, { email, ...whyNoSignIn(error) });
  }
  // Another session than before: whoever knew that one is not signed in by this (RFC 6265 §8.4).
  const session = new provider.Session();
  session.loginAccount({ accountId: user.publicId, loginTs });
  await session.save(secondsLeft(engine.app, session));
  ctx.cookies.set(provider.cookieName('session'), session.jti, cookieOptions(desk));
  return keepDevice(engine.app, visit, await goBack(desk), { user, loginTs });
}

async function showAccount(desk: Desk, user: UserRow): Promise<Response> {
  const { app } = desk.engine;
  const grants = await listOfUser(app, user.id);
  return desk.answer(
    accountPage({
      user,
      grants: grants.map((grant) => ({
        ...grant,
        workspaces: grant.workspaces?.map(({ name }) => name) ?? null,
        scopes: grant.scopes.map(scopeSentence),
      })),
      action: pathOf(desk),
      csrf: app.keyring.sign(PURPOSE, desk.session.jti),
      notice: noticeOf(desk, 'withdrawn'),
    }),
  );
}

async function takeAccount(desk: Desk, user: UserRow, fields: URLSearchParams): Promise<Response> {
  const form = parseAccountForm(fields);
  if (form?.decision === 'sign_out') {
    await deleteStateByUid(desk.engine.app.store, 'Session', desk.session.uid);
    desk.ctx.cookies.set(desk.provider.cookieName('session'), null, cookieOptions(desk));
    return goBack(desk, 'signed_out');
  }
  if (form?.decision !== 'withdraw') return goBack(desk);
  try {
    await withdraw(desk.engine.app, user.id, form.grant);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return goBack(desk);
    throw error;
  }
  return goBack(desk, 'withdrawn');
}

/** To the page itself, so that reloading it sends no form again. */
function goBack(desk: Desk, notice?: Notice): Promise<Response> {
  const location = pathOf(desk) + (notice === undefined ? '' : `?notice=${notice}`);
  return desk.answer(new Response(null, { status: 303, headers: { location } }));
}

/** The sentence, if the page's address has this notice. */
function noticeOf({ visit }: Desk, notice: Notice): string | undefined {
  const given = new URL(visit.request.url).searchParams.get('notice');
  return given === notice ? NOTICES[notice] : undefined;
}

function browserOf({ ctx }: Desk): string | undefined {
  return ctx.cookies.get(BROWSER_COOKIE, { signed: true });
}

function pathOf({ engine }: Desk): string {
  return engine.base + ACCOUNT_PATH;
}

function cookieOptions({ ctx }: Desk) {
  return { signed: true, httpOnly: true, sameSite: 'lax', secure: ctx.secure, overwrite: true } as const;
}
