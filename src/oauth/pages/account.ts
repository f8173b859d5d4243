// The account page: a person's grants to applications, withdrawing them after a confirmation, and changing the password.
import { type Html, html } from './html.ts';
import { csrfField, field, pageResponse } from './layout.ts';
import { type PasswordFailure, type PasswordForm, parsePasswordForm, passwordForm } from './password.ts';

interface AccountGrant {
  readonly publicId: string;
  readonly clientName: string;
  /** Whether the client is a legacy client, whose tokens live as long as the grant. */
  readonly isLegacy?: boolean;
  /** null: the grant lasts until it is withdrawn. */
  readonly expiresAt?: Date | null;
  readonly teamName: string;
  /** Names of the workspaces; null: every workspace of the team. */
  readonly workspaces: readonly string[] | null;
  /** One sentence for each scope. */
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  /** The time of the latest consent; absent or null when there was only one. */
  readonly againAt?: Date | null;
}

export interface AccountData {
  readonly user: { readonly name: string; readonly email: string };
  readonly grants: readonly AccountGrant[];
  readonly action: string;
  readonly csrf: string;
  /** The message about the last action. */
  readonly notice?: string | undefined;
  /** Why the password was not changed. */
  readonly failed?: PasswordFailure | undefined;
}

export type AccountForm =
  | { readonly decision: 'ask_to_withdraw' | 'withdraw'; readonly grant: string }
  | ({ readonly decision: 'change_password' } & PasswordForm)
  | { readonly decision: 'sign_out' };

/** 200; 422 when the password was not changed, 429 with `Retry-After` when there were too many attempts. */
export function accountPage({ user, grants, action, csrf, notice, failed }: AccountData): Response {
  const wait = failed?.retryAfterSeconds;
  return pageResponse({
    title: failed ? 'Error: your account' : 'Your account',
    status: wait === undefined ? (failed ? 422 : 200) : 429,
    ...(wait !== undefined && { headers: { 'retry-after': String(wait) } }),
    body: html`<h1>Your account</h1>
<div class="row"><p class="soft">Signed in as <strong>${user.name}</strong> (${user.email})</p>
<form method="post" action="${action}">${csrfField(csrf)}
<button class="quiet" name="decision" value="sign_out">Sign out</button></form></div>
${notice && html`<p class="notice" role="status">${notice}</p>`}
<section>
<h2>Applications with access</h2>
${
  grants.length === 0
    ? html`<p>No application has access in your name.</p>`
    : html`<ul class="grants">${grants.map((grant) => grantItem(grant, action, csrf))}</ul>`
}
</section>
<section>
<h2>Password</h2>
${passwordForm({ email: user.email, action, csrf, failed })}
</section>`,
  });
}

function grantItem(grant: AccountGrant, action: string, csrf: string): Html {
  const { publicId, clientName, teamName, workspaces, scopes, createdAt, againAt } = grant;
  return html`<li>
<h3>${clientName}</h3>
${grant.isLegacy && legacyHint(grant)}
<p class="soft">Granted on ${day(createdAt)}${againAt && html`, last on ${day(againAt)}`}</p>
<p>For <strong>${teamName}</strong>: ${workspaces === null ? 'all workspaces' : workspaces.join(', ')}</p>
<ul>${scopes.map((sentence) => html`<li>${sentence}</li>`)}</ul>
<form method="post" action="${action}">${csrfField(csrf)}
<input type="hidden" name="grant" value="${publicId}">
<button class="quiet" name="decision" value="ask_to_withdraw" aria-label="Withdraw access of ${clientName} to ${teamName}">Withdraw access</button></form>
</li>`;
}

function legacyHint({ expiresAt }: AccountGrant): Html {
  return html`<p class="warn">A legacy application: its access ${
    expiresAt
      ? html`lasts until ${day(expiresAt)}, or until you withdraw it`
      : 'does not expire. It lasts until you withdraw it'
  }.</p>`;
}

/** The page that asks for confirmation before a grant is withdrawn. */
export function withdrawalPage(grant: AccountGrant, action: string, csrf: string): Response {
  const { publicId, clientName, teamName, workspaces } = grant;
  return pageResponse({
    title: `Withdraw access of ${clientName}`,
    body: html`<h1>Withdraw access of ${clientName}?</h1>
<p><strong>${clientName}</strong> can no longer use <strong>${teamName}</strong> (${workspaces === null ? 'all workspaces' : workspaces.join(', ')}) in your name. It has to ask you again.</p>
<form method="post" action="${action}">${csrfField(csrf)}
<input type="hidden" name="grant" value="${publicId}">
<div class="row"><a href="${action}">Keep it</a>
<button name="decision" value="withdraw">Withdraw access of ${clientName}</button></div></form>`,
  });
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const day = (date: Date): Html => html`<time datetime="${date.toISOString()}">${DAY.format(date)}</time>`;

/** Parses one of the page's forms; null when it is unknown. */
export function parseAccountForm(form: URLSearchParams): AccountForm | null {
  const decision = field(form, 'decision');
  if (decision === 'sign_out') return { decision };
  if (decision === 'change_password') return { decision, ...parsePasswordForm(form) };
  if (decision !== 'ask_to_withdraw' && decision !== 'withdraw') return null;
  return { decision, grant: field(form, 'grant') };
}
