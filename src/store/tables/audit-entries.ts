// The columns of an audit entry that an erasure hides.
import { auditEntry } from '../../resources/audit-entries.ts';
import { entryErasedAt, isErasedEntry, unlessErased } from '../sql/erased.ts';
import { ROW_WORKSPACE } from '../sql/statements.ts';
import { ownTable } from './table.ts';

export const auditEntryTable = ownTable(auditEntry, {
  computed: {
    before: unlessErased('t.before', isErasedEntry('t', ROW_WORKSPACE)),
    after: unlessErased('t.after', isErasedEntry('t', ROW_WORKSPACE)),
    erasedAt: entryErasedAt('t', ROW_WORKSPACE),
  },
});
