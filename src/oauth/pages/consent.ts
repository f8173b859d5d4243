// The consent page. Denying takes one click, like allowing.
import { isWriteScope } from '../../auth/scopes.ts';
import { type Html, html } from './html.ts';
import { alertBox, csrfField, field, pageResponse, SERVICE_NAME } from './layout.ts';

interface ConsentTeam {
  readonly teamId: bigint;
  readonly teamName: string;
  readonly workspaces: readonly { readonly id: bigint; readonly name: string }[];
}

interface ConsentScope {
  readonly scope: string;
  readonly sentence: string;
  /** Names of the person's teams for which they may not grant it. */
  readonly notFor?: readonly string[];
}

export interface ConsentData {
  readonly clientName: string;
  readonly clientUri?: string | undefined;
  /** The browser's next destination: the host of the redirect URI, or its scheme if it is a private-use one. */
  readonly redirectHost: string;
  /** Whether that host is the person's own machine. */
  readonly isHere?: boolean;
  /** Whether the client registered itself: its name is unverified. */
  readonly isUnverified?: boolean;
  /** For a legacy client: how long its access lasts, null until it is withdrawn. Null for any other client. */
  readonly legacy?: { readonly grant_seconds: number | null } | null;
  readonly userName: string;
  readonly userEmail: string;
  readonly scopes: readonly ConsentScope[];
  readonly teams: readonly ConsentTeam[];
  readonly action: string;
  readonly csrf: string;
  readonly error?: string;
  /** The choices before an error. */
  readonly chosen?: ConsentForm;
  readonly formAction?: readonly string[];
}

export interface ConsentForm {
  /** `switch`: the person wants to sign in with another account. */
  readonly decision: 'allow' | 'deny' | 'switch';
  readonly scopes: string[];
  /** '' when none was chosen. */
  readonly teamId: string;
  /** null: every workspace of the team. */
  readonly workspaceIds: string[] | null;
}

/** 200; 422 with an error. */
export function consentPage(data: ConsentData): Response {
  const { clientName, error, scopes, teams } = data;
  const only = teams.length === 1 ? teams[0] : undefined;
  return pageResponse({
    title: `${error ? 'Error: ' : ''}${clientName} asks for access`,
    status: error ? 422 : 200,
    ...(data.formAction && { formAction: data.formAction }),
    body: html`<h1>${clientName} asks for access to your ${SERVICE_NAME} data</h1>
${clientDetails(data)}
${alertBox(error, true)}
<form method="post" action="${data.action}">
${csrfField(data.csrf)}
<fieldset>
<legend>${clientName} may</legend>
<div class="box">${scopes.map((scope) => scopeChoice(scope, data))}</div>
${tickHint(data)}
<p>If you allow it, ${clientName} also learns your name and e-mail address.</p>
</fieldset>
<fieldset>
<legend>${only ? html`For the team ${only.teamName}` : 'For one of your teams'}</legend>
<div class="box">${only ? oneTeam(only, data) : teams.map((team) => teamChoice(team, data))}</div>
</fieldset>
<div class="buttons">
<button name="decision" value="deny" formnovalidate>Deny</button>
<button class="accent" name="decision" value="allow">Allow</button>
</div>
<div class="buttons">
<button class="quiet" name="decision" value="switch" formnovalidate>Not you? Use another account</button>
</div>
</form>`,
  });
}

function clientDetails({
  clientName,
  clientUri,
  redirectHost,
  isHere,
  isUnverified,
  legacy,
  userName,
  userEmail,
}: ConsentData): Html {
  const site =
    clientUri !== undefined && /^https?:\/\//i.test(clientUri) && URL.canParse(clientUri)
      ? new URL(clientUri)
      : null;
  return html`<div class="about">
<p>You are signed in as <strong>${userName}</strong> (${userEmail}).</p>
<p>Afterwards you go to <strong>${redirectHost}</strong>${isHere && ', on this computer'}.${
    site &&
    html` The application’s site is <a href="${site.href}" rel="noreferrer noopener" target="_blank">${site.host}</a>.`
  }</p>
${isUnverified && html`<p class="warn">${clientName} registered itself: nobody has checked its name. Allow only what you started yourself.</p>`}
${
  legacy &&
  html`<p class="warn">${clientName} is a legacy application: ${
    legacy.grant_seconds === null
      ? 'its access does not expire. It lasts until you withdraw it on your account page.'
      : `its access lasts for ${daysOf(legacy.grant_seconds)}, or until you withdraw it on your account page.`
  }</p>`
}
</div>`;
}

function daysOf(seconds: number): string {
  const days = Math.max(1, Math.round(seconds / 86_400));
  return days === 1 ? 'a day' : `${days} days`;
}

/** A hint above the checkboxes. */
function tickHint(data: ConsentData): Html | null {
  const open = data.scopes.filter((scope) => !isUngrantable(scope, data));
  if (open.length === 0)
    return html`<p>None of this is yours to grant: ask an owner or an admin of the team, or deny.</p>`;
  if (!open.some(({ scope }) => isWriteScope(scope))) return null;
  if (data.legacy)
    return html`<p>It does not check what you allowed, so everything is ticked beforehand: untick what you do not want to allow.</p>`;
  return html`<p>Nothing that changes data is ticked beforehand: tick what you want to allow.</p>`;
}

/** Whether the person may not grant the scope for any of their teams. */
function isUngrantable({ notFor = [] }: ConsentScope, { teams }: ConsentData): boolean {
  return notFor.length > 0 && notFor.length === teams.length;
}

/**
 * The checkbox of a scope. It is not ticked in advance if the scope changes data, except for a legacy client, whose code expects all that it
 * requests.
 */
function scopeChoice(choice: ConsentScope, data: ConsentData): Html {
  const { scope, sentence, notFor = [] } = choice;
  const { chosen, legacy } = data;
  const isDisabled = isUngrantable(choice, data);
  const checked =
    !isDisabled &&
    (chosen === undefined ? Boolean(legacy) || !isWriteScope(scope) : chosen.scopes.includes(scope));
  const [what, detail] = sentence.split(': ', 2);
  return html`<label class="choice"><input type="checkbox" name="scope" value="${scope}" ${checked && html`checked`} ${isDisabled && html`disabled`}>
<span>${what}${detail && html`<small>${detail}</small>`}${notFor.length > 0 && html`<small>Not yours to grant for ${notFor.join(', ')}</small>`}</span></label>`;
}

function oneTeam(team: ConsentTeam, data: ConsentData): Html {
  return html`<input type="hidden" name="team" value="${team.teamId}">${workspaceOptions(team, data)}`;
}

/** The choice of a team. CSS shows its workspaces when it is chosen, without a script. */
function teamChoice(team: ConsentTeam, data: ConsentData): Html {
  const checked = data.chosen?.teamId === String(team.teamId);
  return html`<div class="opens"><label class="choice"><input type="radio" name="team" value="${team.teamId}" required ${checked && html`checked`}>
<span>${team.teamName}</span></label>
<div class="inside" role="group" aria-label="Workspaces of ${team.teamName}">${workspaceOptions(team, data)}</div></div>`;
}

function workspaceOptions({ teamId, teamName, workspaces }: ConsentTeam, { chosen }: ConsentData): Html {
  const before = chosen?.teamId === String(teamId) ? chosen.workspaceIds : null;
  const radio = (value: string, checked: boolean) =>
    html`<input type="radio" name="access-${teamId}" value="${value}" ${checked && html`checked`}>`;
  return html`<label class="choice">${radio('team', before === null)}
<span>All workspaces<small>Also those that are added later</small></span></label>
${
  workspaces.length > 0 &&
  html`<div class="opens"><label class="choice">${radio('some', before !== null)}
<span>Only the workspaces that I choose</span></label>
<div class="inside" role="group" aria-label="Chosen workspaces of ${teamName}">${workspaces.map(
    ({
      id,
      name,
    }) => html`<label class="choice"><input type="checkbox" name="workspace-${teamId}" value="${id}" ${before?.includes(String(id)) && html`checked`}>
<span>${name}</span></label>`,
  )}</div></div>`
}`;
}

/** Parses the page's form. Checks only its shape; an unknown button counts as a denial. */
export function parseConsent(form: URLSearchParams): ConsentForm {
  const teamId = field(form, 'team');
  const decision = field(form, 'decision');
  return {
    decision: decision === 'allow' || decision === 'switch' ? decision : 'deny',
    scopes: form.getAll('scope'),
    teamId,
    workspaceIds: field(form, `access-${teamId}`) === 'team' ? null : form.getAll(`workspace-${teamId}`),
  };
}
