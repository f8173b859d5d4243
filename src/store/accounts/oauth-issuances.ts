// Issues tokens: marks the code or refresh token as used and records the new tokens, in one statement. If the database fails midway, the
// code or token stays unused, and the client can repeat the request.

import type { Statement } from '../sql/statements.ts';
import { query } from '../store.ts';
import type { IssuedAccessToken } from './oauth-access-tokens.ts';
import { idHash, type NewState, type Records } from './oauth-states.ts';

/** The tokens that a client gets for a code or a refresh token. */
export interface Issuance {
  readonly used: { readonly model: string; readonly id: string };
  /** null: no refresh token is issued. */
  readonly refreshToken: NewState | null;
  readonly accessToken: IssuedAccessToken;
}

const ISSUE: Statement = {
  name: 'oauth_issuances.issue',
  text: `with used as (
      update oauth_states set consumed_at = $3
      where model = $1 and id_hash = $2 and consumed_at is null returning 1
    ), refresh_token as (
      insert into oauth_states (model, id_hash, payload, grant_key, expires_at)
      select $4::text, $5::bytea, $6::jsonb, $7::text, $8::timestamptz from used where $4::text is not null
    )
    insert into oauth_access_tokens (jti, kind, payload, client_id, grant_key, expires_at)
    select $9::text, $10::text, $11::jsonb, $12::text, $13::text, $14::timestamptz from used returning 1`,
};

/** Issues the tokens. Of several concurrent requests with the same code or token, exactly one gets true; the others get nothing. */
export async function issueTokens({ store, clock }: Records, issuance: Issuance): Promise<boolean> {
  const { used, refreshToken: next, accessToken } = issuance;
  const { jti, kind, payload, clientId, grantKey, expiresAt } = accessToken;
  const rows = await query(store, ISSUE, [
    ...[used.model, idHash(used.id), clock()],
    ...(next === null
      ? [null, null, null, null, null]
      : [next.model, idHash(next.id), JSON.stringify(next.payload), next.grantKey, next.expiresAt]),
    ...[jti, kind, JSON.stringify(payload), clientId, grantKey, expiresAt],
  ]);
  return rows.length > 0;
}
