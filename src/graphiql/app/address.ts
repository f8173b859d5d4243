// Reads the parameters and fragment of the page's URL once, before all other code, and removes them from it. So no code stays in the URL or
// the browser's history, and a reload repeats nothing. An operation in the URL is never run automatically. Other fragments stay: they are
// the headings of the REST reference.
import { fromFragment, fromLink, type Operation } from './operation-link.ts';

/** The key of the operation that is kept in the tab's storage during a sign-in, which leaves the page. */
const carriedKey = 'funnel-gateway:carried';

const parameters = new URLSearchParams(location.search);
const fragment = new URLSearchParams(location.hash.slice(1));
const isCallback = parameters.has('state') && (parameters.has('code') || parameters.has('error'));

export const asked = {
  /** The authorization server's answer; null without one. */
  callback: isCallback ? parameters : null,
  /** Whether another host name of this service sent the person here to sign in. */
  signIn: fragment.has('sign-in'),
  /** The scope that the person lacked there; '' for none. */
  scope: fragment.get('sign-in') ?? '',
  /** The code of the demo's sign-in link; null without one. */
  demoCode: fragment.get('demo'),
};

/** The fragment that starts a sign-in. @param scope the scope that the person lacks; '' for none */
export const signInFragment = (operation: string | null, scope: string): string =>
  `#sign-in${scope && `=${scope}`}${operation === null ? '' : `&tab=${operation}`}`;

const linked = isCallback ? null : (fromFragment(fragment.get('tab')) ?? fromLink(parameters));
if (location.search !== '' || isOurs(fragment))
  history.replaceState(null, '', location.pathname + (isOurs(fragment) ? '' : location.hash));
// Browsers do not reload the page when only the fragment changes.
addEventListener('hashchange', () => {
  if (isOurs(new URLSearchParams(location.hash.slice(1)))) location.reload();
});

/** Whether a fragment is one that this file reads. */
function isOurs(parameters: URLSearchParams): boolean {
  return ['sign-in', 'tab', 'demo'].some((name) => parameters.has(name));
}

/** Stores the operation of the editors until this tab comes back from a sign-in. */
export function carry(operation: Operation): void {
  sessionStorage.setItem(
    carriedKey,
    JSON.stringify([operation.query, operation.variables, operation.operationName]),
  );
}

if (asked.signIn && linked !== null) carry(linked);

/** The operation to open: from a link, or from before the sign-in; null without one. */
export const incoming: Operation | null = asked.signIn ? null : (linked ?? takeCarried());

function takeCarried(): Operation | null {
  const kept = fromFragment(sessionStorage.getItem(carriedKey));
  sessionStorage.removeItem(carriedKey);
  return kept;
}
