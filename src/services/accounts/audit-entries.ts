// The audit trail of a workspace, for callers with the scope `account:read`. The content of an entry needs the scope of its subject as
// well: a key with the account scope alone learns who changed a contact and when, but not the contact's e-mail address.
import { coversScope, requireCaller, scopeFor } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { apiKey } from '../../resources/api-keys.ts';
import { type AuditEntryRow, auditEntry } from '../../resources/audit-entries.ts';
import { subjectTypeOf } from '../../resources/description/names.ts';
import { splitTest } from '../../resources/funnel-steps.ts';
import { NOUNS } from '../../resources/nouns.ts';
import { user } from '../../resources/users.ts';
import { hideNeeded } from '../reading/needed-scopes.ts';
import { type Reads, withholding } from '../reading/reads.ts';
import { idOfPublicId } from '../reading/refs.ts';
import { defineService } from '../service.ts';

/**
 * The scope that reads the subjects of audit entries, by subject type. The content of an entry with any other subject type is shown to no
 * caller.
 */
export const scopesNeeded = new Map(
  [...NOUNS, splitTest]
    .filter(({ topic }) => topic !== undefined)
    .map((noun) => [subjectTypeOf(noun), scopeFor(noun, 'read')]),
);

const visibleReads = (reads: Reads<AuditEntryRow & { id: bigint }>) =>
  withholding(reads, {
    properties: ['before', 'after'],
    by: ['subjectType'],
    hide: (ctx, row) => hideNeeded(ctx, row, row.subjectType, ['before', 'after']),
    mayRead(ctx, { subjectType }) {
      const needed = scopesNeeded.get(subjectType);
      return needed !== undefined && coversScope(requireCaller(ctx).scopes, needed);
    },
  });

/** Who made a change: a key or a person, by id, or a client on its own behalf. */
export type Author =
  | { readonly noun: typeof apiKey | typeof user; readonly id: bigint }
  | { readonly clientId: string };

/** Who made the change of an entry; null if that is a person whom only an outside issuer knows. */
export function authorOf(
  { config }: Pick<Context, 'config'>,
  { actorKind, actorId, clientId }: Pick<AuditEntryRow, 'actorKind' | 'actorId' | 'clientId'>,
): Author | null {
  if (actorId === clientId) return { clientId };
  // The `sub` of an outside issuer may look like a public id.
  if (actorKind === 'oauth' && config.oauth.outside !== null) return null;
  const noun = actorKind === 'api_key' ? apiKey : user;
  const id = idOfPublicId(noun.table, actorId);
  return id === null ? null : { noun, id };
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(auditEntry, { shown: visibleReads });
