// The bar above the reference: the way to the other pages, and the credentials of this tab.
import { accountUrl, canSignIn } from '../authorization.ts';
import { checkKey, getCredentials, type KeyStatus, subscribe as onKey, setKey } from '../credentials.ts';
import { getSession, subscribe as onSession, signIn, signOut } from '../session.ts';

const KEY_MESSAGES: Record<KeyStatus, string> = {
  none: 'No key',
  checking: 'Checking…',
  accepted: 'Key accepted',
  refused: 'Key not accepted',
  unknown: 'Not checked',
  'link-ended': 'Link expired or already used',
};
const LINKS = [
  ['/', 'Funnel Gateway'],
  ['/docs/', 'Guides'],
  ['/graphql', 'GraphiQL'],
  ['/api/v2/openapi.json', 'OpenAPI'],
] as const;
const CHECK_AFTER_MS = 500;

export function showTopBar(): void {
  const bar = document.getElementById('top-bar');
  if (!bar) throw new Error('The page has no #top-bar');
  bar.append(createLinks(), createCredentials());
}

function createLinks(): HTMLElement {
  const links = LINKS.map(([href, text]) => create('a', { href, textContent: text }));
  const nav = create('nav', { ariaLabel: 'Pages' });
  nav.append(...links);
  return nav;
}

function createCredentials(): HTMLElement {
  const box = create('div', { className: 'credentials' });
  const field = createKeyField();
  const status = create('output', { className: 'status' });
  const account = create('a', { href: accountUrl, textContent: 'Account' });
  const enter = create('button', {
    type: 'button',
    textContent: 'Sign in',
    onclick: () => void signIn(null),
  });
  const leave = create('button', { type: 'button', textContent: 'Sign out', onclick: () => void signOut() });
  box.append(field, status, ...(canSignIn ? [account, enter, leave] : []));
  const update = () => {
    const session = getSession();
    const isSignedIn = session.status === 'signed-in';
    const { status: keyStatus } = getCredentials();
    field.hidden = isSignedIn;
    account.hidden = !isSignedIn;
    leave.hidden = !isSignedIn;
    enter.hidden = isSignedIn;
    enter.disabled = session.status === 'busy';
    status.textContent = session.message || (isSignedIn ? 'Signed in' : KEY_MESSAGES[keyStatus]);
    status.dataset['status'] = session.message === '' ? (isSignedIn ? 'accepted' : keyStatus) : 'refused';
  };
  onSession(update);
  onKey(update);
  update();
  return box;
}

function createKeyField(): HTMLElement {
  const input = create('input', {
    type: 'password',
    value: getCredentials().key,
    placeholder: 'fgw_…',
    autocomplete: 'off',
    spellcheck: false,
  });
  let timer = 0;
  let checked = '';
  onKey(() => {
    const { key } = getCredentials();
    if (input.value !== key && document.activeElement !== input) input.value = key;
    // A check changes the status only, so it does not lead to another one.
    if (key === checked) return;
    checked = key;
    clearTimeout(timer);
    if (key !== '') timer = window.setTimeout(checkKey, CHECK_AFTER_MS);
  });
  input.oninput = () => setKey(input.value);
  if (input.value !== '') void checkKey();
  const label = create('label', { textContent: 'API key ' });
  label.append(input);
  return label;
}

function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), properties);
}
