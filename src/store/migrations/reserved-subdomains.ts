// Subdomains that a migration takes for the service itself, and who holds one of them from before. Nobody's host is taken away
// unasked: whoever holds one is named before anything is changed, with the command that gives it another.
import type pg from 'pg';
import { StartupError } from '../../errors.ts';

/** The migration behind which nobody holds these. `api`, `auth` and `www` were reserved before, but left to whoever had them. */
const RESERVED_BY = '20261122124000_service_users';
const NAMES = ['accounts', 'api', 'auth', 'www'];

const HOLDERS = `select * from (
    select 'team' as kind, id::text, public_id as "publicId", name, subdomain from teams
    union all select 'workspace', id::text, public_id, name, subdomain from workspaces) held
  where subdomain = any ($1) order by subdomain`;

/** A team or a workspace whose subdomain is the service's own. */
interface Holder {
  readonly kind: 'team' | 'workspace';
  readonly id: string;
  readonly publicId: string;
  readonly name: string;
  readonly subdomain: string;
}

/** Everybody who holds one, by its name. The tables must be there. */
export async function findSubdomainHolders(pool: pg.Pool): Promise<Holder[]> {
  return (await pool.query<Holder>(HOLDERS, [NAMES])).rows;
}

/** Who holds what. */
export function holderSentence({ kind, id, publicId, name, subdomain }: Holder): string {
  return `${kind} ${id} (${publicId}, "${name}") has the subdomain ${subdomain}, which is the service's own`;
}

/** The command that ends that. */
export function toRemedy({ kind, id }: Holder): string {
  return `npx funnel-gateway ${kind} subdomain ${id} NEW`;
}

/**
 * Asks that nobody holds a subdomain that a pending migration reserves.
 * @throws StartupError naming each holder, and what to do
 */
export async function requireFreeSubdomains(pool: pg.Pool, pending: readonly string[]): Promise<void> {
  if (!pending.includes(RESERVED_BY)) return;
  const holders = await findSubdomainHolders(pool);
  if (holders.length === 0) return;
  throw new StartupError(
    `The database was not migrated, and nothing was changed: ${holders.map(holderSentence).join('; ')}. Give each another one and start again: ${holders.map(toRemedy).join('; ')}`,
  );
}
