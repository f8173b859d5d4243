// The pages between an authorization request and its answer: signing in, then consent. A form counts only with the cookie of
// its interaction and a signature that was made for it. What is granted is decided here; the library only carries it.
import { errors, type Provider } from 'oidc-provider';
import { grantable } from '../auth/roles.ts';
import { scopeSentence } from '../auth/scopes.ts';
import { isLoopbackHost } from '../config/loopback.ts';
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { requireGrantable } from '../services/oauth-grants.ts';
import { loginTsNow, personOf } from '../services/sessions.ts';
import { signIn } from '../services/sign-in.ts';
import { membershipsOf } from '../services/users.ts';
import { findClient, type OauthClient } from '../store/oauth-clients.ts';
import { completeGrant } from '../store/oauth-grants.ts';
import { deleteStateByUid } from '../store/oauth-states.ts';
import type { UserRow } from '../store/users.ts';
import { giveBack } from './admission.ts';
import { keepDevice, keptDevices } from './device-cookie.ts';
import { ENDPOINTS } from './endpoints.ts';
import type { Engine } from './engine.ts';
import type { Visit } from './oauth-request.ts';
import { type ConsentForm, consentError, consentPage, parseConsent } from './pages/consent.ts';
import { problemPage } from './pages/problem.ts';
import { parseSignIn, signInPage } from './pages/sign-in.ts';

const PURPOSE = 'interaction form';

type Details = Awaited<ReturnType<Provider['interactionDetails']>>;
type Result = Parameters<Provider['interactionFinished']>[2];

/** One visit to one interaction's page. */
interface Step {
  readonly app: App;
  readonly visit: Visit;
  readonly provider: Provider;
  readonly details: Details;
  readonly client: OauthClient;
  /** What every page of it has. */
  readonly page: { readonly action: string; readonly csrf: string; readonly formAction: readonly string[] };
  /** Sends the person on: to the next page, or back to the client. */
  readonly finish: (result: Result) => Promise<Response>;
}

const DENIED = { error: 'access_denied', error_description: 'The person refused.' };

/**
 * The page of an interaction, or what its form leads to.
 * @throws AppError `unavailable` when the store cannot be asked
 */
export async function visitInteraction(engine: Engine, visit: Visit): Promise<Response> {
  const step = await openStep(engine, visit);
  if (step === null)
    return problemPage({
      status: 400,
      title: 'This page has expired',
      detail: 'Go back to the application that sent you here, and start again.',
    });
  const { app, details } = step;
  const isSigningIn = details.prompt.name === 'login';
  if (visit.request.method !== 'POST') return isSigningIn ? showSignIn(step) : showConsent(step);
  const form = await visit.form();
  if (!app.keyring.isSigned(PURPOSE, boundTo(details), form.get('csrf') ?? ''))
    return problemPage({
      status: 403,
      title: 'This form is not ours',
      detail: 'Go back to the application that sent you here, and start again.',
    });
  return isSigningIn ? takeSignIn(step, form) : takeConsent(step, form);
}

/** Null when the browser has no such interaction, or it is over. */
async function openStep(
  { app, base, provider: running, toNode }: Engine,
  visit: Visit,
): Promise<Step | null> {
  const provider = await running();
  const { req, res } = toNode(visit);
  let details: Details;
  try {
    details = await provider.interactionDetails(req, res);
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return null;
    throw error;
  }
  if (details.uid !== visit.params['uid']) return null;
  const client = await findClient(app.store, String(details.params['client_id']));
  if (client === null || client.disabledAt !== null) return null;
  return {
    app,
    visit,
    provider,
    details,
    client,
    page: {
      action: `${base}${ENDPOINTS.interaction}/${details.uid}`,
      csrf: app.keyring.sign(PURPOSE, boundTo(details)),
      formAction: [String(details.params['redirect_uri'])],
    },
    async finish(result) {
      await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: !('error' in result) });
      return res.done;
    },
  };
}

/** What a form is good for: this step, of this interaction, for this person. */
function boundTo({ uid, prompt, session }: Details): string {
  return [uid, prompt.name, session?.accountId ?? ''].join(' ');
}

function showSignIn({ client, page }: Step): Response {
  return signInPage({ ...page, clientName: client.name });
}

async function takeSignIn(step: Step, fields: URLSearchParams): Promise<Response> {
  const { app, visit, client, page, finish } = step;
  const { decision, email, password } = parseSignIn(fields);
  if (decision === 'deny') return finish(DENIED);
  const { address, signal } = visit;
  const ts = loginTsNow(app);
  try {
    const user = await signIn(app, { email, password, address, devices: keptDevices(app, visit), signal });
    await giveBack(app, address);
    await endOtherSession(step, user);
    const answer = await finish({ login: { accountId: user.publicId, ts } });
    return keepDevice(app, visit, answer, { user, loginTs: ts });
  } catch (error) {
    return signInPage({ ...page, clientName: client.name, email, ...whyNoSignIn(error) });
  }
}

/** Whoever signs in as somebody else is signed out first; the library would have them confirm that on a page of its own. */
async function endOtherSession(step: Step, user: UserRow): Promise<void> {
  const accountId = step.details.session?.accountId;
  if (accountId !== undefined && accountId !== user.publicId) await endSession(step);
}

/** Signs the person out, and keeps what they came for. */
async function endSession({ app, details }: Step): Promise<void> {
  if (details.session !== undefined) await deleteStateByUid(app.store, 'Session', details.session.uid);
  delete (details as { session?: unknown }).session;
  await details.persist();
}

/** Whoever is not the person who is signed in signs in themselves; the page is opened anew, as a form is not sent twice. */
async function switchAccount(step: Step): Promise<Response> {
  step.details.prompt = { name: 'login', reasons: ['another_account'], details: {} };
  await endSession(step);
  return new Response(null, { status: 303, headers: { location: step.page.action } });
}

/** What the page says of a failed sign-in. @throws whatever else went wrong */
export function whyNoSignIn(error: unknown): { error: string; retryAfterSeconds?: number } {
  if (!(error instanceof AppError) || !['unauthenticated', 'too_many_requests'].includes(error.code))
    throw error;
  const { message, retryAfterSeconds } = error;
  return { error: message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

async function showConsent(step: Step, again?: { chosen: ConsentForm; error: string }): Promise<Response> {
  const { app, details, client, page } = step;
  const user = await requirePerson(step);
  const teams = await membershipsOf(app, user.id);
  if (teams.length === 0)
    return problemPage({
      status: 403,
      title: 'You belong to no team',
      detail: 'There is nothing that you could grant access to. Ask the owner of a team to add you.',
    });
  const { client_uri: clientUri } = client.metadata as { client_uri?: string };
  const redirect = new URL(String(details.params['redirect_uri']));
  return consentPage({
    ...page,
    ...again,
    clientName: client.name,
    clientUri,
    isUnverified: client.dynamic,
    redirectHost: redirect.host === '' ? redirect.protocol : redirect.host,
    isHere: isLoopbackHost(redirect.hostname),
    userName: user.name,
    userEmail: user.email,
    teams,
    scopes: scopesOf(details).map((scope) => ({
      scope,
      sentence: scopeSentence(scope),
      notFor: teams.filter(({ role }) => !grantable(role).has(scope)).map(({ teamName }) => teamName),
    })),
  });
}

async function takeConsent(step: Step, fields: URLSearchParams): Promise<Response> {
  const { app, provider, details, finish } = step;
  const chosen = parseConsent(fields);
  if (chosen.decision === 'deny') return finish(DENIED);
  if (chosen.decision === 'switch') return switchAccount(step);
  const user = await requirePerson(step);
  const asked = scopesOf(details);
  const scopes = asked.filter((scope) => chosen.scopes.includes(scope));
  const teams = await membershipsOf(app, user.id);
  const team = teams.find(({ teamId }) => String(teamId) === chosen.teamId);
  const error = consentError({ ...chosen, scopes });
  if (error !== null) return showConsent(step, { chosen, error });
  if (team === undefined) return showConsent(step, { chosen, error: 'Choose one of your teams, or deny.' });
  const workspaceIds = chosen.workspaceIds && [...new Set(chosen.workspaceIds)].map(toId);
  try {
    requireGrantable(team, { scopes, workspaceIds });
  } catch (refusal) {
    if (refusal instanceof AppError && refusal.code === 'invalid')
      return showConsent(step, { chosen, error: refusal.message });
    throw refusal;
  }
  // A grant for each consent, of what was chosen and no more; the request is narrowed to it. (What is rejected with the
  // library's own means would be taken out of the grant for ever, and never be asked for again.)
  const grant = new provider.Grant({
    accountId: user.publicId,
    clientId: String(details.params['client_id']),
  });
  const scope = scopes.join(' ');
  grant.addOIDCScope(scope);
  const resources = [details.params['resource'] ?? app.config.authUrl].flat();
  for (const resource of resources) grant.addResourceScope(String(resource), scope);
  const grantId = await grant.save();
  await completeGrant(app.store, grantId, { teamId: team.teamId, workspaceIds, scopes });
  details.params['scope'] = scope;
  await details.persist();
  return finish({ consent: { grantId } });
}

/** What the client asks for: every request names it (provider.ts). */
function scopesOf({ params }: Details): string[] {
  return String(params['scope'] ?? '')
    .split(' ')
    .filter((scope) => scope !== '');
}

/** No workspace has the id 0. */
function toId(text: string): bigint {
  return /^\d{1,18}$/.test(text) ? BigInt(text) : 0n;
}

/** @throws AppError `unauthenticated` for a person who was signed out or disabled since they signed in */
async function requirePerson({ app, provider, details }: Step): Promise<UserRow> {
  const session = await provider.Session.findByUid(details.session?.uid ?? '');
  const user = session === undefined ? null : await personOf(app, session);
  if (user === null)
    throw new AppError('unauthenticated', 'Sign in again: go back to the application that sent you here.');
  return user;
}
