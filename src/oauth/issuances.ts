// Collects everything that a token request writes, and writes it in one step. The library would consume the code or refresh token, store the
// new refresh token and sign the access token one after the other. If the database failed in between, the client's retry would look like
// the use of a stolen code.
import { errors, Provider } from 'oidc-provider';
import type { App } from '../context.ts';
import {
  type Issuance,
  type IssuedAccessToken,
  issue,
  type NewState,
} from '../services/sign-in/oauth-records.ts';

export interface Issuances {
  /** Records the code or refresh token that the current request consumes. */
  recordUse(used: Issuance['used']): void;
  /** Adds an issued token. The last one triggers the write. @throws InvalidGrant, AppError */
  add(issued: { refreshToken: NewState } | { accessToken: IssuedAccessToken }): Promise<void>;
}

/** Whether a client gets a refresh token with each code that it redeems. */
export function getsRefreshToken(client: { grantTypeAllowed(grant: string): boolean }): boolean {
  return client.grantTypeAllowed('refresh_token');
}

/** Collects the token requests of one provider, by the library's context of each request. */
export function createIssuances(app: App): Issuances {
  const drafts = new WeakMap<object, Pick<Issuance, 'used'> & Partial<Issuance>>();
  return {
    recordUse(used) {
      drafts.set(requireContext(), { used });
    },
    async add(issued) {
      const context = requireContext();
      const draft = drafts.get(context);
      if (draft === undefined) throw new Error('A token is issued for no code and no refresh token.');
      const { used, accessToken, refreshToken = null } = Object.assign(draft, issued);
      const isComplete = refreshToken !== null || !getsRefreshToken(requireClient(context));
      if (accessToken === undefined || !isComplete) return;
      if (!(await issue(app, { used, accessToken, refreshToken })))
        throw new errors.InvalidGrant('already used');
    },
  };
}

type Context = NonNullable<typeof Provider.ctx>;

function requireContext(): Context {
  if (Provider.ctx === undefined) throw new Error('Tokens are issued while a request is answered.');
  return Provider.ctx;
}

function requireClient({ oidc: { client } }: Context) {
  if (client === undefined) throw new Error('Tokens are issued to a client.');
  return client;
}
