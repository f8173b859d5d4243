// The columns of a domain: those that operators add serve at once.
import type { domain } from '../../resources/custom-domains.ts';
import type { Special } from './table.ts';

export const domainTable: Special<typeof domain> = {
  computed: { status: `'secured'`, connected: 'true', updatedAt: 't.created_at' },
};
