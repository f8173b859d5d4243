// The audit trail of a workspace, for whoever may read the account. What an entry holds of an object is for those who may read such
// objects: a key for the account alone learns who changed a contact and when, but not their e-mail address.
import { covers, requireCaller, type Scope } from '../auth/scopes.ts';
import { appliedTag } from '../resources/applied-tags.ts';
import { auditEntry } from '../resources/audit-entries.ts';
import { contact } from '../resources/contacts.ts';
import { conditionalSplit } from '../resources/funnel-steps.ts';
import { type Resource, subjectTypeOf } from '../resources/resource.ts';
import { tag } from '../resources/tags.ts';
import { webhookDelivery } from '../resources/webhook-deliveries.ts';
import { webhookEndpoint } from '../resources/webhook-endpoints.ts';
import { tableOf } from '../store/tables/tables.ts';
import { readsOf, withholding } from './reads.ts';

const AUDIT_ENTRIES = tableOf(auditEntry);

/** What a caller needs to read objects of the nouns that entries are about. Of any other noun nobody sees what an entry holds. */
const NEEDED: readonly (readonly [Resource, Scope])[] = [
  [contact, 'contacts:read'],
  [tag, 'contacts:read'],
  [appliedTag, 'contacts:read'],
  [conditionalSplit, 'funnels:read'],
  [webhookDelivery, 'webhooks:read'],
  [webhookEndpoint, 'webhooks:read'],
];

/** By the subject type of entries. */
export const scopesNeeded = new Map(NEEDED.map(([resource, needed]) => [subjectTypeOf(resource), needed]));

export const { scope, get, getMany, list, listMany, countMany, existMany } = withholding(
  readsOf(AUDIT_ENTRIES, 'account:read'),
  {
    properties: ['before', 'after'],
    by: 'subjectType',
    mayRead(ctx, { subjectType }) {
      const needed = scopesNeeded.get(subjectType);
      return needed !== undefined && covers(requireCaller(ctx).scopes, needed);
    },
  },
);
