// Finds the teams and workspaces with subdomains that a migration reserves for the service. No holder loses its host silently: before
// anything changes, the error lists each one, with the command that gives it another subdomain.
import type pg from 'pg';
import { StartupError } from '../../errors.ts';

/** The migration that reserves them. `api`, `auth` and `www` were reserved earlier, but existing holders kept them. */
const RESERVED_BY = '20261122124000_service_users';
const NAMES = ['accounts', 'api', 'auth', 'www'];

const HOLDERS = `select * from (
    select 'team' as kind, id::text, public_id as "publicId", name, subdomain from teams
    union all select 'workspace', id::text, public_id, name, subdomain from workspaces) held
  where subdomain = any ($1) order by subdomain`;

/** A team or workspace with a reserved subdomain. */
interface Holder {
  readonly kind: 'team' | 'workspace';
  readonly id: string;
  readonly publicId: string;
  readonly name: string;
  readonly subdomain: string;
}

/** Finds all holders, ordered by subdomain. The tables must exist. */
export async function findSubdomainHolders(pool: pg.Pool): Promise<Holder[]> {
  return (await pool.query<Holder>(HOLDERS, [NAMES])).rows;
}

/** The sentence about a holder. */
export function holderSentence({ kind, id, publicId, name, subdomain }: Holder): string {
  return `${kind} ${id} (${publicId}, "${name}") has the subdomain ${subdomain}, which is the service's own`;
}

/** The command that gives the holder another subdomain. */
export function toRemedy({ kind, id }: Holder): string {
  return `npx funnel-gateway ${kind} subdomain ${id} NEW`;
}

/**
 * Requires that no team or workspace has a subdomain that a pending migration reserves.
 * @throws StartupError with each holder, and what to do
 */
export async function requireFreeSubdomains(pool: pg.Pool, pending: readonly string[]): Promise<void> {
  if (!pending.includes(RESERVED_BY)) return;
  const holders = await findSubdomainHolders(pool);
  if (holders.length === 0) return;
  throw new StartupError(
    `The database was not migrated, and nothing was changed: ${holders.map(holderSentence).join('; ')}. Give each another one and start again: ${holders.map(toRemedy).join('; ')}`,
  );
}
