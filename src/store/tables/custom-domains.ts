// The columns of a domain. Domains added by operators serve at once.
import { domain } from '../../resources/custom-domains.ts';
import { ownTable } from './table.ts';

export const domainTable = ownTable(domain, {
  computed: { status: `'secured'`, connected: 'true', updatedAt: 't.created_at' },
});
