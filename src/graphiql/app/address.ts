// Reads what the page's URL asks for, once, before anything else does, and removes it from the URL. So no code stays in the URL or the
// browser's history, and a reload does not repeat anything. An operation in the URL is never run automatically.
import { fromFragment, fromLink, type Operation } from './operation-link.ts';

/** Kept in the tab over a sign-in, which leaves the page and comes back. */
const carriedKey = 'funnel-gateway:carried';

const parameters = new URLSearchParams(location.search);
const fragment = new URLSearchParams(location.hash.slice(1));
const isCallback = parameters.has('state') && (parameters.has('code') || parameters.has('error'));

export const asked = {
  /** The authorization server's answer; null when this is none. */
  callback: isCallback ? parameters : null,
  /** Whether another name of this service sent the person here to sign in. */
  signIn: fragment.has('sign-in'),
  /** The scope that the person lacked there; '' when there was none. */
  scope: fragment.get('sign-in') ?? '',
  /** The code of the demo's signed-in link; null when there is none. */
  demoCode: fragment.get('demo'),
};

/** The fragment that asks for a sign-in. @param scope '' where none is lacking */
export const signInFragment = (operation: string | null, scope: string): string =>
  `#sign-in${scope && `=${scope}`}${operation === null ? '' : `&tab=${operation}`}`;

const linked = isCallback ? null : (fromFragment(fragment.get('tab')) ?? fromLink(parameters));
if (location.search !== '' || location.hash !== '') history.replaceState(null, '', location.pathname);
// The same page with another fragment is not loaded anew.
addEventListener('hashchange', () => location.reload());

/** Keeps what is in the editors for when this tab comes back from signing in. */
export function carry(operation: Operation): void {
  sessionStorage.setItem(
    carriedKey,
    JSON.stringify([operation.query, operation.variables, operation.operationName]),
  );
}

if (asked.signIn && linked !== null) carry(linked);

/** The operation to open in a tab: of a link, or of the tab as it was before the sign-in; null when there is none. */
export const incoming: Operation | null = asked.signIn ? null : (linked ?? takeCarried());

function takeCarried(): Operation | null {
  const kept = fromFragment(sessionStorage.getItem(carriedKey));
  sessionStorage.removeItem(carriedKey);
  return kept;
}
