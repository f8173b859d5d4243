// The audit trail of a workspace, for whoever may read the account. What an entry holds of an object is for those who may read such
// objects: a key for the account alone learns who changed a contact and when, but not their e-mail address.
import { covers, requireCaller, scopeFor } from '../auth/scopes.ts';
import { auditEntry } from '../resources/audit-entries.ts';
import { NOUNS } from '../resources/nouns.ts';
import { subjectTypeOf } from '../resources/resource.ts';
import { readsOf, withholding } from './reads.ts';

/**
 * What a caller needs to read objects of the nouns that entries are about, by the subject type of entries. Of any other noun nobody sees
 * what an entry holds.
 */
export const scopesNeeded = new Map(
  NOUNS.filter(({ topic }) => topic !== undefined).map((noun) => [
    subjectTypeOf(noun),
    scopeFor(noun, 'read'),
  ]),
);

export const reads = withholding(readsOf(auditEntry), {
  properties: ['before', 'after'],
  by: 'subjectType',
  mayRead(ctx, { subjectType }) {
    const needed = scopesNeeded.get(subjectType);
    return needed !== undefined && covers(requireCaller(ctx).scopes, needed);
  },
});
