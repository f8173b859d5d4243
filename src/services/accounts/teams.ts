// Teams. A credential belongs to one team, so a list has at most one; on another team's host it is empty.
import { type Permitted, requireScope, scopeFor } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { AppError, invalid, mustBe, parseAll } from '../../errors.ts';
import type { Page, PageRequest } from '../../pagination.ts';
import { type TeamRow, team } from '../../resources/teams.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { teamTable } from '../../store/tables/teams.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import type { Input } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { readsOf, withValue } from '../reading/reads.ts';
import type { Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';
import { changeAccount } from './account-changes.ts';
import { isName, parseName } from './names.ts';

const TEAMS = tableOf(teamTable);
const reads = readsOf(team);
export const { scope, get } = reads;

type ListMany = typeof reads.listMany;

/** The list's parent is the team itself: if the caller does not own it, the list is empty. */
function withoutStrangers(listMany: ListMany): ListMany {
  return async (...args) =>
    (await listMany(...args)).map(
      (found): Page<TeamRow & { id: bigint }> => found ?? { rows: [], more: false },
    );
}

/** The caller's teams. */
export async function list(ctx: Context, page: PageRequest): Promise<Page<TeamRow>> {
  const { tenancy } = requireScope(ctx, scope);
  const [found] = await reads.listMany(ctx, [tenancy.teamId], await withValue(ctx, TEAMS, tenancy, page));
  return found ?? { rows: [], more: false };
}

export const writeScope = scopeFor(team, 'write');

/**
 * Changes a team, on any of its hosts. The audit trail of its first workspace records the change.
 * @throws AppError `insufficient_scope` for a credential that is limited to some of its workspaces; as `changeAccount` does
 */
export function update(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<TeamRow & { id: bigint }>> {
  const caller = requireScope(ctx, writeScope);
  requireWholeTeam(caller);
  return changeAccount(ctx, team, ref, input, options, {
    tenancy: { teamId: caller.tenancy.teamId, workspaceIds: null },
    settle({ name, timeZone, ...rest }, nameOf) {
      const called = nameOf('timeZone', team.fields.timeZone);
      const isWrong = timeZone != null && !isName(timeZone);
      const refuse = () => {
        throw invalid(called, mustBe('a name such as UTC, Tokyo or Europe/London'));
      };
      return {
        ...rest,
        ...parseAll({
          ...(name !== undefined && { name: () => parseName(name) }),
          ...(timeZone !== undefined && { timeZone: isWrong ? refuse : () => timeZone?.trim() ?? null }),
        }),
      };
    },
  });
}

/** Runs before anything is read or locked. @throws AppError `insufficient_scope` for a credential that is limited to some workspaces */
export function requireWholeTeam(caller: Permitted): void {
  if (caller.kind !== 'oauth' || caller.grantedWorkspaceIds === null) return;
  throw new AppError(
    'insufficient_scope',
    'This credential is limited to some workspaces. Use one for the whole team.',
    { scope: writeScope },
  );
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(team, { listMany: withoutStrangers, writes: { writeScope, update } });
