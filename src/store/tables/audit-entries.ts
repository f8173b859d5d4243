// The columns of an audit entry that are hidden once it was erased.
import { auditEntry } from '../../resources/audit-entries.ts';
import { entryErasedAt, isErasedEntry, unlessErased } from '../sql/erased.ts';
import { ownTable } from './table.ts';

export const auditEntryTable = ownTable(auditEntry, {
  computed: {
    before: unlessErased('t.before', isErasedEntry('t')),
    after: unlessErased('t.after', isErasedEntry('t')),
    erasedAt: entryErasedAt('t'),
  },
});
