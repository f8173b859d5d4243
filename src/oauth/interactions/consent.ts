// The consent step of an interaction. This file decides what a grant contains, not the library.
import { grantable, scopeSentence } from '../../auth/scopes.ts';
import { isLoopbackHost } from '../../config/loopback.ts';
import { AppError } from '../../errors.ts';
import type { PersonRow } from '../../services/accounts/users.ts';
import { requireGrantable, teamsFor } from '../../services/sign-in/oauth-consents.ts';
import { completeGrant, legacyTermsOf } from '../../services/sign-in/oauth-records.ts';
import { personOf } from '../../services/sign-in/sessions.ts';
import { refusalPage } from '../error-pages.ts';
import { grantSecondsOf } from '../legacy-clients.ts';
import { type ConsentForm, consentPage, parseConsent } from '../pages/consent.ts';
import { DENIED, type Interaction, signOut } from './interaction.ts';

const WITHOUT_TEAM = {
  title: 'You belong to no team',
  detail: 'You have no data to which you could grant access.',
  advice: 'Ask the owner of a team to add you. Then go back to the application, and start again.',
};

const OF_ANOTHER_TEAM = {
  title: 'This application belongs to another team',
  detail: 'Only people of its team can grant it access, and only to that team.',
  advice: 'Ask the owner of that team to add you. Then go back to the application, and start again.',
};

/** The page. @param failed the previous choices, and why they were refused */
export async function showConsent(
  interaction: Interaction,
  failed?: { chosen: ConsentForm; error: string },
): Promise<Response> {
  const { app, details, client, page, request } = interaction;
  if (failed !== undefined) request.facts.refusal = { code: 'invalid', reason: failed.error };
  const user = await requirePerson(interaction);
  const teams = await teamsFor(app, client, user.id);
  if (teams.length === 0)
    return refusalPage(request, 'access_denied', {
      status: 403,
      ...(client.teamId === null ? WITHOUT_TEAM : OF_ANOTHER_TEAM),
    });
  const { client_uri: clientUri } = client.metadata as { client_uri?: string };
  const redirect = new URL(String(details.params['redirect_uri']));
  return consentPage({
    ...page,
    ...failed,
    clientName: client.name,
    clientUri,
    isUnverified: client.dynamic,
    legacy: legacyTermsOf(client),
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

/** Handles the form: creates a grant, denies, signs in another person, or shows the page again with an error. */
export async function submitConsent(interaction: Interaction, fields: URLSearchParams): Promise<Response> {
  const { app, provider, details, client, finish } = interaction;
  const terms = legacyTermsOf(client);
  const chosen = parseConsent(fields);
  if (chosen.decision === 'deny') return finish(DENIED);
  if (chosen.decision === 'switch') return switchAccount(interaction);
  const user = await requirePerson(interaction);
  const requested = scopesOf(details);
  const scopes = requested.filter((scope) => chosen.scopes.includes(scope));
  const teams = await teamsFor(app, client, user.id);
  const team = teams.find(({ teamId }) => String(teamId) === chosen.teamId);
  if (team === undefined)
    return showConsent(interaction, { chosen, error: 'Choose one of your teams, or deny.' });
  const workspaceIds = chosen.workspaceIds && [...new Set(chosen.workspaceIds)].map(toId);
  try {
    requireGrantable(team, { scopes, workspaceIds });
  } catch (refusal) {
    if (refusal instanceof AppError && refusal.code === 'invalid')
      return showConsent(interaction, { chosen, error: refusal.message });
    throw refusal;
  }
  // Each consent creates a grant with exactly the chosen scopes, and narrows the request to them. (If the library itself rejected a scope, it
  // would stay rejected in the grant, and no later consent page would offer it.)
  const grant = new provider.Grant({
    accountId: user.publicId,
    clientId: String(details.params['client_id']),
  });
  const scope = scopes.join(' ');
  grant.addOIDCScope(scope);
  const resources = [details.params['resource'] ?? app.config.authUrl].flat();
  for (const resource of resources) grant.addResourceScope(String(resource), scope);
  if (terms !== null) Object.assign(grant, { expiresIn: grantSecondsOf(terms) });
  const grantId = await grant.save();
  await completeGrant(app, grantId, { teamId: team.teamId, workspaceIds, scopes });
  details.params['scope'] = scope;
  await details.persist();
  return finish({ consent: { grantId } });
}

/** The requested scopes: provider.ts makes sure that every request names them. */
function scopesOf({ params }: Interaction['details']): string[] {
  return String(params['scope'] ?? '')
    .split(' ')
    .filter((scope) => scope !== '');
}

/** A workspace's id, or 0, which no workspace has. */
function toId(text: string): bigint {
  return /^\d{1,18}$/.test(text) ? BigInt(text) : 0n;
}

/** @throws AppError `unauthenticated` when the person was signed out or disabled since they signed in */
async function requirePerson({ app, provider, details }: Interaction): Promise<PersonRow> {
  const session = await provider.Session.findByUid(details.session?.uid ?? '');
  const user = session === undefined ? null : await personOf(app, session);
  if (user === null) throw new AppError('unauthenticated', 'You have been signed out. Sign in again.');
  return user;
}

/** Returns to the sign-in step, for a person who wants another account. Redirects, so that no form is sent twice. */
async function switchAccount(interaction: Interaction): Promise<Response> {
  interaction.details.prompt = { name: 'login', reasons: ['another_account'], details: {} };
  await signOut(interaction);
  return new Response(null, { status: 303, headers: { location: interaction.page.action } });
}
