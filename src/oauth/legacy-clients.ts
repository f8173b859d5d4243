// Legacy clients: integrations whose code nobody will change. The operator registers them as such (services/operator/oauth-clients.ts). They
// may take codes without PKCE, get opaque tokens that live as long as their grants, and read more members in the token response; they may also
// send JSON (token-json.ts). No other client may, and everything else of RFC 9700 holds for them too.
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { App } from '../context.ts';
import {
  findGrantPlace,
  type GrantPlace,
  LEGACY_MEMBER,
  type LegacyTerms,
} from '../services/sign-in/oauth-records.ts';

/** The library needs a lifetime for everything. This one, a thousand years, stands for none. */
const ENDLESS_SECONDS = 31_557_600_000;

/** A client in the form of oidc-provider. */
type LibraryClient = NonNullable<KoaContextWithOIDC['oidc']['client']>;
/** A client of which only some members are known. */
type SomeClient = Partial<Pick<LibraryClient, 'clientAuthMethod' | 'redirectUris'>>;

/** Whether the operator registered the client as a legacy client. */
export function isLegacy(client: SomeClient | undefined): boolean {
  return client !== undefined && (client as Record<string, unknown>)[LEGACY_MEMBER] !== undefined;
}

/** Whether a client may take codes without PKCE. A public client may not: nothing else would bind the code to it (RFC 9700 §2.1.1). */
export function mayOmitPkce(client: SomeClient): boolean {
  return isLegacy(client) && client.clientAuthMethod !== 'none';
}

/**
 * Refuses a request without PKCE and without `state`, because PKCE also protects against forged redirects (RFC 9700 §2.1).
 * @throws InvalidRequest
 */
export function requireState(params: Readonly<Record<string, unknown>>, client: SomeClient): void {
  if (!isLegacy(client) || params['code_challenge'] !== undefined || params['state'] !== undefined) return;
  throw new errors.InvalidRequest('state is required in a request without PKCE');
}

/** The lifetime of a grant to a legacy client, in seconds. */
export function grantSecondsOf({ grant_seconds: seconds }: LegacyTerms): number {
  return seconds ?? ENDLESS_SECONDS;
}

/** The remaining lifetime of the grant for which tokens are issued, in seconds. */
export function secondsOfGrant({ oidc }: KoaContextWithOIDC): number {
  const exp = oidc.entities.Grant?.exp;
  if (exp === undefined) throw new Error('A legacy client gets tokens for grants only.');
  return exp - secondsNow();
}

/** The end of a grant or a token; null: it has none. @param exp in seconds since 1970 */
export function endOf(exp: number): Date | null {
  return exp > ENDLESS_SECONDS ? null : new Date(exp * 1_000);
}

export interface LegacyAnswers {
  /** Reads what the token response of a legacy client needs, before anything is issued: afterwards a failure would cost the client its code. */
  prepare(ctx: KoaContextWithOIDC, grantKey: string): Promise<void>;
  /** Adds it to the response. */
  complete(ctx: { status: number; body?: unknown }): void;
}

/** Completes the token responses of legacy clients, by the library's context of each request. */
export function createLegacyAnswers(app: App): LegacyAnswers {
  const places = new WeakMap<object, GrantPlace>();
  return {
    async prepare(ctx, grantKey) {
      if (!isLegacy(ctx.oidc.client)) return;
      const place = await findGrantPlace(app, grantKey);
      if (place === null) throw new errors.InvalidGrant('the grant is not complete');
      places.set(ctx, place);
    },
    complete(ctx) {
      const place = places.get(ctx);
      if (place === undefined || ctx.status !== 200) return;
      const { expires_in: seconds, ...answer } = ctx.body as { readonly expires_in: number };
      const isEndless = endOf(secondsNow() + seconds) === null;
      ctx.body = { ...answer, ...(!isEndless && { expires_in: seconds }), ...toMembers(place) };
    },
  };
}

/** The members by the names that integrations of older platforms read. */
function toMembers({ teamId, teamName, workspace }: GrantPlace) {
  return {
    created_at: secondsNow(),
    team_id: Number(teamId),
    team_name: teamName,
    workspace_id: workspace === null ? null : Number(workspace.id),
    workspace_name: workspace?.name ?? null,
    workspace_url: workspace?.url ?? null,
  };
}

function secondsNow(): number {
  return Math.floor(Date.now() / 1_000);
}
