// The columns of an audit entry that an erasure hides.
import { auditEntry } from '../../resources/audit-entries.ts';
import { entryErasedAt, isErasedEntry, unlessErased } from '../sql/erased.ts';
import { ROW_WORKSPACE } from '../sql/statements.ts';
import { taggingColumns } from '../sql/tagging.ts';
import { ownTable } from './table.ts';

const before = unlessErased('t.before', isErasedEntry('t', ROW_WORKSPACE));
const after = unlessErased('t.after', isErasedEntry('t', ROW_WORKSPACE));

export const auditEntryTable = ownTable(auditEntry, {
  computed: {
    before,
    after,
    ...taggingColumns(`coalesce(${after}, ${before})`),
    erasedAt: entryErasedAt('t', ROW_WORKSPACE),
  },
});
