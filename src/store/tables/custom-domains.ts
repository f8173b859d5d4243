// The columns of a domain: those that operators add serve at once.
import { domain } from '../../resources/custom-domains.ts';
import { ownTable } from './table.ts';

export const domainTable = ownTable(domain, {
  computed: { status: `'secured'`, connected: 'true', updatedAt: 't.created_at' },
});
