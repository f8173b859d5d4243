// The sign-in page. Its message is the same for a wrong password and for an unknown account.
import { html } from './html.ts';
import { alertBox, csrfField, field, pageResponse, SERVICE_NAME } from './layout.ts';

export interface SignInData {
  /** The application that waits for the person; null on the account page. */
  readonly clientName: string | null;
  /** The URL of the form's request. */
  readonly action: string;
  readonly csrf: string;
  /** The previous input. */
  readonly email?: string;
  readonly error?: string;
  /** The message about the last action. */
  readonly notice?: string | undefined;
  /** Too many attempts: how long to wait. */
  readonly retryAfterSeconds?: number;
  readonly formAction?: readonly string[];
}

export interface SignInForm {
  readonly decision: 'sign_in' | 'deny';
  readonly email: string;
  readonly password: string;
}

/** 200; 422 with an error; 429 with `Retry-After` when there were too many attempts. */
export function signInPage(data: SignInData): Response {
  const { clientName, email = '', error, notice, retryAfterSeconds } = data;
  const isWrong = error !== undefined && retryAfterSeconds === undefined;
  const wrong = html`aria-invalid="true" aria-describedby="error"`;
  const focus = html`autofocus`;
  return pageResponse({
    title: error ? 'Error: sign in' : 'Sign in',
    status: retryAfterSeconds === undefined ? (error ? 422 : 200) : 429,
    ...(retryAfterSeconds !== undefined && { headers: { 'retry-after': String(retryAfterSeconds) } }),
    ...(data.formAction && { formAction: data.formAction }),
    body: html`<h1>Sign in to ${SERVICE_NAME}</h1>
${
  clientName === null
    ? html`<p class="soft">To see and withdraw what you have granted to applications, and to change your password.</p>`
    : html`<p class="soft"><strong>${clientName}</strong> asks for access to your data. You decide about that on the next page; your password stays with ${SERVICE_NAME}.</p>`
}
${notice && html`<p class="notice" role="status">${notice}</p>`}
${alertBox(error)}
<form method="post" action="${data.action}">
${csrfField(data.csrf)}
<label class="over">E-mail address
<input type="email" name="email" value="${email}" autocomplete="username" autocapitalize="off" spellcheck="false" maxlength="254" required ${isWrong && wrong} ${!email && focus}></label>
<label class="over">Password
<input type="password" name="password" autocomplete="current-password" maxlength="1000" required ${isWrong && wrong} ${email !== '' && focus}></label>
<div class="buttons">
<button class="accent" name="decision" value="sign_in">Sign in</button>
${clientName !== null && html`<button name="decision" value="deny" formnovalidate>Cancel</button>`}
</div>
</form>`,
  });
}

/** Parses the page's form; everything except "deny" is an attempt to sign in. */
export function parseSignIn(form: URLSearchParams): SignInForm {
  return {
    decision: field(form, 'decision') === 'deny' ? 'deny' : 'sign_in',
    email: field(form, 'email').trim(),
    password: field(form, 'password'),
  };
}
