// The form for changing the password. It never contains a password: after an error all fields are empty.
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../services/sign-in/passwords.ts';
import { type Html, html } from './html.ts';
import { alertBox, csrfField, field } from './layout.ts';

/** Why a password was not changed. */
export interface PasswordFailure {
  /** The wrong field: `current`, `password` or `again`; absent while the person has to wait. */
  readonly field?: string | undefined;
  readonly message: string;
  /** Too many attempts: how long to wait. */
  readonly retryAfterSeconds?: number;
}

export interface PasswordForm {
  readonly current: string;
  readonly password: string;
  readonly again: string;
}

interface PasswordFormData {
  readonly email: string;
  readonly action: string;
  readonly csrf: string;
  readonly failed?: PasswordFailure | undefined;
}

/** The form, collapsed at first. It contains the account's e-mail address, so that password managers can tell whose password it is. */
export function passwordForm({ email, action, csrf, failed }: PasswordFormData): Html {
  const input = (name: string, autocomplete: string, hint?: string) => {
    const isWrong = failed?.field === name;
    const about = [hint, isWrong && 'error'].filter(Boolean).join(' ');
    return html`<input type="password" name="${name}" autocomplete="${autocomplete}" maxlength="1000" required ${name !== 'current' && html`minlength="${MIN_PASSWORD_LENGTH}"`} ${isWrong && html`aria-invalid="true"`} ${about !== '' && html`aria-describedby="${about}"`} ${failed && name === 'current' && html`autofocus`}>`;
  };
  return html`<details ${failed && html`open`}>
<summary>Change your password</summary>
${alertBox(failed?.message)}
<form method="post" action="${action}">${csrfField(csrf)}
<input type="text" name="username" value="${email}" autocomplete="username" hidden readonly>
<label class="over">Current password
${input('current', 'current-password')}</label>
<label class="over">New password
${input('password', 'new-password', 'password-rules')}</label>
<label class="over">New password again
${input('again', 'new-password')}</label>
<p class="soft" id="password-rules">${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters of any kind. You stay signed in here, and are signed out in every other browser. Applications keep the access that they have.</p>
<div class="buttons"><button class="accent" name="decision" value="change_password">Change password</button></div>
</form>
</details>`;
}

/** Parses the form. */
export function parsePasswordForm(form: URLSearchParams): PasswordForm {
  return {
    current: field(form, 'current'),
    password: field(form, 'password'),
    again: field(form, 'again'),
  };
}
