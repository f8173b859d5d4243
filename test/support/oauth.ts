// A platform and a person for tests of OAuth: the platform is oauth4webapi with its strict checks, the person a browser without JavaScript.
// Both send requests to the real handler.
import * as oauth from 'oauth4webapi';
import type { App } from '../../src/context.ts';
import * as factories from './factories.ts';
import type { Gateway } from './gateway.ts';

const REDIRECT_URI = 'https://client.example/callback';

interface Init {
  readonly method?: string | undefined;
  readonly headers?: Record<string, string> | Headers | undefined;
  readonly body?: unknown;
}

type Fetch = (url: string, init?: Init) => Promise<Response>;

/** `fetch` that ends in the gateway. */
export function fetchOf(gateway: Gateway): Fetch {
  return (url, init = {}) => {
    const { host, pathname, search } = new URL(url);
    const { method = 'GET', headers, body } = init;
    return gateway.send(pathname + search, {
      host,
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...(body !== undefined && body !== null && { body: String(body) }),
    });
  };
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/** A page, and its address. */
export interface Shown {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Keeps cookies, follows redirects on the gateway's own host, and sends the forms of pages. */
export class Browser {
  private readonly fetch: Fetch;
  private cookies: Cookie[] = [];
  /** Every answer on the way, for what must be in each of them. */
  readonly answers: Response[] = [];

  constructor(fetch: Fetch) {
    this.fetch = fetch;
  }

  /** A page, or the address outside to which the browser was sent. */
  async open(url: string, init: Init = {}): Promise<Shown | URL> {
    const { origin, pathname } = new URL(url);
    const cookie = this.cookiesFor(pathname);
    const headers = new Headers(init.headers);
    headers.set('accept', 'text/html');
    if (cookie !== '') headers.set('cookie', cookie);
    const answer = await this.fetch(url, { ...init, headers });
    this.answers.push(answer.clone());
    this.keepCookies(answer, pathname);
    const location = answer.headers.get('location');
    if (location === null)
      return { url, status: answer.status, headers: answer.headers, text: await answer.text() };
    const next = new URL(location, url);
    return next.origin === origin ? this.open(next.href) : next;
  }

  /** Sends the page's form, hidden fields included. */
  async submit(page: Shown, fields: [string, string][], button: string): Promise<Shown | URL> {
    const action = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const body = new URLSearchParams([
      ...hidden.map(([, name = '', value = '']): [string, string] => [name, value]),
      ...fields,
      ['decision', button],
    ]);
    return this.open(new URL(action, page.url).href, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
    });
  }

  /** Every cookie, as another browser would have to steal it. */
  get jar(): readonly Cookie[] {
    return this.cookies;
  }

  private cookiesFor(pathname: string): string {
    const sent = this.cookies.filter(
      ({ path }) => pathname === path || pathname.startsWith(path.replace(/\/?$/, '/')),
    );
    return sent.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  private keepCookies(answer: Response, pathname: string): void {
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      const path = attributes.find((one) => one.startsWith('path='))?.slice(5) ?? pathname;
      this.cookies = this.cookies.filter((cookie) => cookie.name !== name || cookie.path !== path);
      if (value !== '') this.cookies.push({ name, value, path });
    }
  }
}

/** Requires a page. @throws Error with the address if the browser is elsewhere */
export function requirePage(where: Shown | URL): Shown {
  if (where instanceof URL) throw new Error(`left for ${where.href}`);
  return where;
}

export function requireLeft(where: Shown | URL): URL {
  if (!(where instanceof URL))
    throw new Error(`still at ${where.url}: ${where.status} ${where.text.slice(-900)}`);
  return where;
}

export interface Consent {
  /** Absent: all requested scopes. */
  readonly scopes?: readonly string[];
  readonly teamId: bigint;
  /** Absent: every workspace of the team. */
  readonly workspaceIds?: readonly bigint[];
}

/** Allows the request on the consent page, or a part of it. */
export function allow(
  browser: Browser,
  page: Shown,
  { scopes, teamId, workspaceIds }: Consent,
): Promise<Shown | URL> {
  const asked = [...page.text.matchAll(/name="scope" value="([^"]+)"/g)].map(([, scope = '']) => scope);
  return browser.submit(
    page,
    [
      ...(scopes ?? asked).map((scope): [string, string] => ['scope', scope]),
      ['team', String(teamId)],
      [`access-${teamId}`, workspaceIds === undefined ? 'team' : 'some'],
      ...(workspaceIds ?? []).map((id): [string, string] => [`workspace-${teamId}`, String(id)]),
    ],
    'allow',
  );
}

/** Signs in on a sign-in page. */
export async function signIn(browser: Browser, page: Shown, email: string, password = factories.PASSWORD) {
  return browser.submit(
    page,
    [
      ['email', email],
      ['password', password],
    ],
    'sign_in',
  );
}

/** The platform's data of an authorization request, for the redirect back. */
export interface Sent {
  readonly url: string;
  readonly verifier: string;
  readonly state: string;
}

/** One client against one gateway. */
export class Platform {
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly auth: oauth.ClientAuth;
  readonly redirectUri: string;
  readonly options: { [oauth.allowInsecureRequests]: true; [oauth.customFetch]: Fetch };

  constructor(
    server: oauth.AuthorizationServer,
    fetch: Fetch,
    given: { id: string; secret: string | null; redirectUri?: string },
  ) {
    this.server = server;
    this.client = { client_id: given.id };
    this.auth = given.secret === null ? oauth.None() : oauth.ClientSecretBasic(given.secret);
    this.redirectUri = given.redirectUri ?? REDIRECT_URI;
    this.options = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: fetch };
  }

  /** An authorization request. @param changes parameters to set, or to leave out */
  async request(changes: Record<string, string | null> = {}): Promise<Sent> {
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const url = new URL(this.server.authorization_endpoint ?? '');
    const parameters = {
      client_id: this.client.client_id,
      redirect_uri: this.redirectUri,
      response_type: 'code',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      ...changes,
    };
    for (const [name, value] of Object.entries(parameters))
      if (value !== null) url.searchParams.set(name, value);
    return { url: url.href, verifier, state };
  }

  /** Redeems the code in the redirect, and checks state and issuer (RFC 9207). */
  async redeem(back: URL, { state, verifier }: Pick<Sent, 'state' | 'verifier'>) {
    const { server, client, auth, redirectUri, options } = this;
    const parameters = oauth.validateAuthResponse(server, client, back, state);
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      auth,
      parameters,
      redirectUri,
      verifier,
      options,
    );
    return oauth.processAuthorizationCodeResponse(server, client, answer);
  }

  async refresh(refreshToken: string, additionalParameters: Record<string, string> = {}) {
    const { server, client, auth, options } = this;
    const all = { ...options, additionalParameters };
    return oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, auth, refreshToken, all),
    );
  }

  async clientCredentials(parameters: Record<string, string> = {}) {
    const { server, client, auth, options } = this;
    return oauth.processClientCredentialsResponse(
      server,
      client,
      await oauth.clientCredentialsGrantRequest(server, client, auth, parameters, options),
    );
  }

  async revoke(token: string): Promise<void> {
    const { server, client, auth, options } = this;
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, auth, token, options),
    );
  }

  async introspect(token: string) {
    const { server, client, auth, options } = this;
    return oauth.processIntrospectionResponse(
      server,
      client,
      await oauth.introspectionRequest(server, client, auth, token, options),
    );
  }
}

/** Discovery first, as every client does (RFC 8414 §3). */
export async function discover(fetch: Fetch, issuer: string): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer);
  const answer = await oauth.discoveryRequest(url, {
    algorithm: 'oauth2',
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: fetch,
  });
  return oauth.processDiscoveryResponse(url, answer);
}

/** A team with two workspaces, its owner, and a confidential client: what most tests begin with. */
export async function createScene(
  gateway: Gateway,
  given: { isPublic?: boolean; metadata?: Record<string, string | string[]> } = {},
) {
  const { app } = gateway;
  const { id: teamId } = await factories.team(app);
  const first = await factories.workspace(app, { teamId });
  const second = await factories.workspace(app, { teamId });
  const user = await factories.user(app, { teamId });
  const fetch = fetchOf(gateway);
  const platform = await createPlatform(app, fetch, given);
  return { teamId, first, second, user, fetch, platform, browser: new Browser(fetch) };
}

/** Another client, registered by the operator. */
export async function createPlatform(
  app: App,
  fetch: Fetch,
  given: { isPublic?: boolean; metadata?: Record<string, string | string[]>; teamId?: bigint } = {},
): Promise<Platform> {
  const { isPublic = false, metadata = {}, teamId } = given;
  const { id, clientSecret } = await factories.oauthClient(app, {
    ...(isPublic && { secretHash: null }),
    ...(teamId !== undefined && { teamId }),
    metadata: { ...metadata, ...(isPublic && { token_endpoint_auth_method: 'none' }) },
  });
  const server = await discover(fetch, app.config.authUrl);
  return new Platform(server, fetch, { id, secret: isPublic ? null : clientSecret });
}

/** The complete flow: sign in, allow, redeem. */
export async function getTokens(
  scene: Awaited<ReturnType<typeof createScene>>,
  consent: Partial<Consent> = {},
  parameters: Record<string, string | null> = {},
) {
  const { platform, browser, user, teamId } = scene;
  const sent = await platform.request({ scope: 'contacts:read account:read', ...parameters });
  let where = await browser.open(sent.url);
  if (!(where instanceof URL) && where.text.includes('name="password"'))
    where = await signIn(browser, where, user.email);
  if (!(where instanceof URL)) where = await allow(browser, where, { teamId, ...consent });
  const back = requireLeft(where);
  return { sent, back, tokens: await platform.redeem(back, sent) };
}
