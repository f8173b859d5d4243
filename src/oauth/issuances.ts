// What a token request writes is held back until all of it is there. The library uses up what was sent, keeps the refresh
// token, and notes the access token one after the other; written like that, a database that fails in between would have the
// client's next try taken for a thief's.
import { errors, Provider } from 'oidc-provider';
import type { App } from '../context.ts';
import type { IssuedAccessToken } from '../store/oauth-access-tokens.ts';
import { revokeGrant } from '../store/oauth-grants.ts';
import { type Issuance, issueTokens } from '../store/oauth-issuances.ts';
import type { NewState } from '../store/oauth-states.ts';

export interface Issuances {
  /** A code or refresh token is to be used up by the request that is being answered. */
  use(used: Issuance['used']): void;
  /** What is given for it. @throws InvalidGrant, AppError as what comes last is added, and all of it written */
  add(given: { refreshToken: NewState } | { accessToken: IssuedAccessToken }): Promise<void>;
}

/** Whether a client gets a refresh token with each code that it redeems. */
export function getsRefreshToken(client: { grantTypeAllowed(grant: string): boolean }): boolean {
  return client.grantTypeAllowed('refresh_token');
}

/** The token requests of one provider, by what the library calls their context. */
export function createIssuances(app: App): Issuances {
  const drafts = new WeakMap<object, Pick<Issuance, 'used'> & Partial<Issuance>>();

  async function issue(issuance: Issuance): Promise<void> {
    if (await issueTokens(app.store, issuance, app.clock())) return;
    // Somebody was faster. One of the two is a thief: what it gave to either ends (RFC 9700 §2.1.1, §4.14.2).
    const { grantKey } = issuance.accessToken;
    if (grantKey !== null) await revokeGrant(app.store, { key: grantKey }, app.clock());
    app.lookups.forget();
    throw new errors.InvalidGrant('already used');
  }

  return {
    use(used) {
      drafts.set(requireContext(), { used });
    },
    async add(given) {
      const context = requireContext();
      const draft = drafts.get(context);
      if (draft === undefined) throw new Error('A token is given for nothing.');
      const { used, accessToken, refreshToken = null } = Object.assign(draft, given);
      const isWhole = refreshToken !== null || !getsRefreshToken(requireClient(context));
      if (accessToken !== undefined && isWhole) await issue({ used, accessToken, refreshToken });
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
