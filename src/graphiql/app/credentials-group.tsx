import { useSyncExternalStore } from 'react';
import { ApiKeyField } from './api-key-field.tsx';
import { accountUrl, canSignIn } from './authorization.ts';
import { getSession, signIn, signOut, subscribe } from './session.ts';
import { useOperation } from './use-operation.ts';

/** The two kinds of credentials: an API key, or a person who signs in. While a person is signed in, the key is not used. */
export function Credentials() {
  const { status, message, wantedScope } = useSyncExternalStore(subscribe, getSession);
  const readOperation = useOperation();
  const signedIn = status === 'signed-in';
  const startSignIn = () => signIn(readOperation());
  return (
    <div className="credentials">
      {signedIn ? null : <ApiKeyField />}
      {canSignIn ? (
        <fieldset className="session" aria-label="Sign-in" aria-busy={status === 'busy'}>
          <output className="session-status" data-status={message ? 'refused' : signedIn ? 'accepted' : ''}>
            {message || (signedIn ? 'Signed in' : '')}
          </output>
          {signedIn ? (
            <>
              {wantedScope === '' ? null : (
                <button type="button" className="sign-in" onClick={startSignIn}>
                  Sign in again
                </button>
              )}
              <a className="quiet" href={accountUrl} target="_blank" rel="noreferrer">
                Account
              </a>
              <button type="button" className="sign-in" onClick={signOut}>
                Sign out
              </button>
            </>
          ) : (
            <button type="button" className="sign-in" onClick={startSignIn} disabled={status === 'busy'}>
              Sign in
            </button>
          )}
        </fieldset>
      ) : null}
    </div>
  );
}
