// The audit trail of a workspace, for whoever may read the account. What an entry holds of an object is for those who may read such
// objects: a key for the account alone learns who changed a contact and when, but not their e-mail address.
import { covers, requireScope, type Scope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { appliedTag } from '../resources/applied-tags.ts';
import type { AuditEntryRow } from '../resources/audit-entries.ts';
import { contact } from '../resources/contacts.ts';
import { conditionalSplit } from '../resources/funnel-steps.ts';
import { type Resource, subjectTypeOf } from '../resources/resource.ts';
import { tag } from '../resources/tags.ts';
import { webhookDelivery } from '../resources/webhook-deliveries.ts';
import { webhookEndpoint } from '../resources/webhook-endpoints.ts';
import { setNull } from '../rows/columns.ts';
import { AUDIT_ENTRIES } from '../store/tables.ts';
import { type Reads, readsOf } from './reads.ts';

/** What a caller needs to read objects of the nouns that entries are about. Of any other noun nobody sees what an entry holds. */
const NEEDED: readonly (readonly [Resource, Scope])[] = [
  [contact, 'contacts:read'],
  [tag, 'contacts:read'],
  [appliedTag, 'contacts:read'],
  [conditionalSplit, 'funnels:read'],
  [webhookDelivery, 'webhooks:read'],
  [webhookEndpoint, 'webhooks:read'],
];

const DATA = ['before', 'after'];
/** By the subject type of entries. */
export const scopesNeeded = new Map(NEEDED.map(([resource, needed]) => [subjectTypeOf(resource), needed]));
const reads = readsOf(AUDIT_ENTRIES, 'account:read');

export const { scope, countMany, existMany } = reads;

export const get: Reads<AuditEntryRow>['get'] = async (ctx, ref) => shown(ctx, await reads.get(ctx, ref));

export const getMany: Reads<AuditEntryRow>['getMany'] = async (ctx, ids) =>
  (await reads.getMany(ctx, ids)).map((row) => row && shown(ctx, row));

export const list: Reads<AuditEntryRow>['list'] = async (ctx, parent, page) => {
  const found = await reads.list(ctx, parent, page);
  return { ...found, rows: found.rows.map((row) => shown(ctx, row)) };
};

export const listMany: Reads<AuditEntryRow>['listMany'] = async (ctx, parentIds, page, projection = null) => {
  const hasData = projection === null || projection.some((property) => DATA.includes(property));
  if (!hasData) return reads.listMany(ctx, parentIds, page, projection);
  const pages = await reads.listMany(ctx, parentIds, page, projection && [...projection, 'subjectType']);
  return pages.map((found) => found && { ...found, rows: found.rows.map((row) => shown(ctx, row)) });
};

/** The entry without what the caller may not read. */
function shown(ctx: Context, row: AuditEntryRow): AuditEntryRow {
  const needed = scopesNeeded.get(row.subjectType);
  if (needed === undefined || !covers(requireScope(ctx, scope).scopes, needed)) setNull(row, DATA);
  return row;
}
