// Custom domains as rows, for the operator's commands. Requests find their workspace through hosts.ts.
import type { CustomDomain } from '#prisma';
import { domain } from '../../resources/custom-domains.ts';
import { withTransaction } from '../changing/transactions.ts';
import { type Store, withPrisma } from '../store.ts';
import { findListed } from './listed.ts';

export type CustomDomainRow = CustomDomain;

/** Inserts a domain. @throws the store's error for a host in use (`custom_domains_host_key`) */
export async function insertCustomDomain(
  store: Store,
  domain: Pick<CustomDomain, 'workspaceId' | 'host' | 'createdAt'>,
): Promise<CustomDomainRow> {
  return withPrisma(store, (prisma) => prisma.customDomain.create({ data: domain }));
}

/** The domains of one workspace or of all, by id. */
export async function findCustomDomains(
  store: Store,
  workspaceId: bigint | null,
): Promise<CustomDomainRow[]> {
  return findListed(store, domain, { workspaceId });
}

/**
 * Deletes a domain that no funnel uses.
 * @returns the domain, null if there is none, or the ids of the funnels that use it
 */
export async function deleteCustomDomain(
  store: Store,
  host: string,
): Promise<CustomDomainRow | null | readonly bigint[]> {
  return withTransaction({ store }, async (tx) => {
    // A transaction that assigns a funnel to the domain waits for this lock, and then does not find the domain.
    await tx.$queryRaw`select from custom_domains where host = ${host} for update`;
    const include = { funnels: { select: { id: true }, orderBy: { id: 'asc' as const } } };
    const found = await tx.customDomain.findUnique({ where: { host }, include });
    if (found === null) return null;
    const { funnels, ...domain } = found;
    if (funnels.length > 0) return funnels.map(({ id }) => id);
    await tx.customDomain.delete({ where: { host } });
    return domain;
  });
}
