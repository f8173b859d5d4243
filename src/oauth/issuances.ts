// Collects what a token request writes until it is complete, and writes it at once. The library uses up the code or refresh
// token, keeps the new refresh token and signs the access token one after the other; written like that, a failure of the
// database in between would make the client's next try look like that of a thief.
import { errors, Provider } from 'oidc-provider';
import type { App } from '../context.ts';
import type { NewState } from '../services/oauth-states.ts';
import { type Issuance, type IssuedAccessToken, issue } from '../services/oauth-tokens.ts';

export interface Issuances {
  /** A code or refresh token is to be used up by the request that is being answered. */
  use(used: Issuance['used']): void;
  /** What is issued for it. The last part that is added has all of it written. @throws InvalidGrant, AppError */
  add(issued: { refreshToken: NewState } | { accessToken: IssuedAccessToken }): Promise<void>;
}

/** Whether a client gets a refresh token with each code that it redeems. */
export function getsRefreshToken(client: { grantTypeAllowed(grant: string): boolean }): boolean {
  return client.grantTypeAllowed('refresh_token');
}

/** The token requests of one provider. Each is known by the library's context of it. */
export function createIssuances(app: App): Issuances {
  const drafts = new WeakMap<object, Pick<Issuance, 'used'> & Partial<Issuance>>();
  return {
    use(used) {
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
