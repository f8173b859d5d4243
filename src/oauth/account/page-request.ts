// One request to the account page: its session, and the responses that set cookies.
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { PersonRow } from '../../services/accounts/users.ts';
import { personOf, secondsLeft } from '../../services/sign-in/sessions.ts';
import { withDevice } from '../device-cookie.ts';
import { ACCOUNT_PATH } from '../endpoints.ts';
import type { Engine } from '../engine.ts';
import type { OauthRequest } from '../oauth-request.ts';

/** The purpose of the signatures in the page's forms. */
export const PURPOSE = 'account form';

/** The messages after a form, by the value of `notice` in the URL. A URL cannot make the page show any other text. */
const NOTICES = {
  withdrawn: 'Access withdrawn.',
  password_changed:
    'Your password is changed, and you are signed out in every other browser. Applications keep their access.',
  signed_out: 'You are signed out.',
} as const;

type Notice = keyof typeof NOTICES;
type Session = InstanceType<Provider['Session']>;

/** One request to the page, with the session that it belongs to. */
export interface AccountPageRequest {
  readonly engine: Engine;
  readonly request: OauthRequest;
  readonly provider: Provider;
  readonly ctx: KoaContextWithOIDC;
  readonly session: Session;
  /** The person who is signed in; null: nobody. */
  readonly user: PersonRow | null;
  /** Adds the cookies that were set since to a response. */
  readonly respond: (response: Response) => Promise<Response>;
}

/** The request with its session. */
export async function openPage(engine: Engine, request: OauthRequest): Promise<AccountPageRequest> {
  const { app } = engine;
  const provider = await engine.provider();
  const { req, res, done } = engine.toNode(request);
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
      return done;
    },
  };
}

/**
 * Signs a person in, and redirects to the page. Creates a new session, so that an attacker with the previous session's id is not signed in
 * (RFC 6265 §8.4).
 * @param loginTs the time of the sign-in, in seconds
 */
export async function startSession(
  page: AccountPageRequest,
  user: PersonRow,
  loginTs: number,
  notice?: Notice,
): Promise<Response> {
  const { provider, ctx, engine, request } = page;
  const { app } = engine;
  const session = new provider.Session();
  session.loginAccount({ accountId: user.publicId, loginTs });
  await session.save(secondsLeft(app, session));
  ctx.cookies.set(provider.cookieName('session'), session.jti, cookieOptions(page));
  return withDevice(app, request, await redirectToPage(page, notice), { user, loginTs });
}

/** Redirects to the page itself, so that a reload does not send a form again. */
export function redirectToPage(page: AccountPageRequest, notice?: Notice): Promise<Response> {
  const location = pathOf(page) + (notice === undefined ? '' : `?notice=${notice}`);
  return page.respond(new Response(null, { status: 303, headers: { location } }));
}

/** The message, if the page's URL has one of these notices. */
export function noticeOf({ request }: AccountPageRequest, ...notices: readonly Notice[]): string | undefined {
  const value = new URL(request.raw.url).searchParams.get('notice');
  const notice = notices.find((known) => known === value);
  return notice && NOTICES[notice];
}

/** The page's path. */
export function pathOf({ engine }: AccountPageRequest): string {
  return engine.base + ACCOUNT_PATH;
}

/** The attributes of the page's cookies. */
export function cookieOptions({ ctx }: AccountPageRequest) {
  return { signed: true, httpOnly: true, sameSite: 'lax', secure: ctx.secure, overwrite: true } as const;
}
