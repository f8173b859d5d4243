// The columns of an audit entry that are hidden once it was erased.
import type { auditEntry } from '../../resources/audit-entries.ts';
import { entryErasedAt, isErasedEntry, unlessErased } from '../sql/erased.ts';
import type { Special } from './table.ts';

export const auditEntryTable: Special<typeof auditEntry> = {
  computed: {
    before: unlessErased('t.before', isErasedEntry('t')),
    after: unlessErased('t.after', isErasedEntry('t')),
    erasedAt: entryErasedAt('t'),
  },
};
