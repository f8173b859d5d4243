// Creates, changes and removes a row in a distributed store: the steps, and what is recorded of them.
import { expandableNames, type Resource } from '../../../resources/resource.ts';
import { withoutMembers } from '../../../rows/json-members.ts';
import type { Executor } from '../../connections/executor.ts';
import { isBelowWorkspace } from '../../reading/parents.ts';
import { inItsWorkspace } from '../../shard-placement/distribution.ts';
import type { PublicIdTable } from '../../sql/public-ids.ts';
import { type NamedStatement, valuesOf } from '../../sql/statements.ts';
import type { Tenancy } from '../../sql/tenancy.ts';
import type { Transaction } from '../../store.ts';
import { ownedWorkspace } from '../../tables/table.ts';
import { type GivenChildren, writeChildren } from '../children.ts';
import type { ChangeRecord, Unchanged } from '../record-change.ts';
import { type ChangeOutcome, isTold, type Recorded } from '../records.ts';
import { claimInSteps } from './record.ts';
import type { DistributedStatements } from './statements.ts';
import { applyTags, replaceTags } from './tag-set.ts';

type Values = Recorded & Readonly<Record<string, unknown>>;

/** A record whose idempotency key has already been claimed. */
export interface Claimed extends ChangeRecord {
  readonly auditEntryId: bigint;
}

/** Makes a change of one row. @param values as for a change of one statement, with all workspaces that the caller may access */
export async function changeInSteps(
  tx: Transaction,
  statements: DistributedStatements,
  verb: 'create' | 'update' | 'remove',
  values: Values,
  isDistributed = true,
): Promise<Claimed | Unchanged | 'not_found' | 'unfit'> {
  const { table } = statements;
  const named = verb === 'create' ? table.parent.table : table.name;
  const tenancy: Tenancy = {
    teamId: values.team,
    workspaceIds: values.workspaces,
    ...(isDistributed && { isDistributed }),
  };
  const place = await placeOf(tx, named, tenancy, values['id'] as bigint);
  if (place === null) return 'not_found';
  const workspace_id = place.workspaceIds?.[0];
  const steps = new Steps(
    tx,
    statements,
    { ...values, workspaces: place.workspaceIds, workspace_id },
    values,
  );
  if (verb === 'create') return steps.create();
  return verb === 'update' ? steps.update() : steps.remove();
}

/** The tenancy restricted to the workspace of a row. Workspaces are on every node, so they need no shard. */
async function placeOf(
  tx: Transaction,
  table: PublicIdTable,
  tenancy: Tenancy,
  id: bigint,
): Promise<Tenancy | null> {
  if (!isBelowWorkspace(table)) return tenancy;
  if (tenancy.isDistributed) return inItsWorkspace(tx, table, tenancy, id);
  const [found] = await tx.$queryRawUnsafe<{ workspaceId: bigint }[]>(
    `select t.workspace_id as "workspaceId" from ${table} t where t.id = $1::bigint and ${ownedWorkspace('t.workspace_id', '$2', '$3')}`,
    ...[id, tenancy.teamId, tenancy.workspaceIds],
  );
  return found === undefined ? null : { ...tenancy, workspaceIds: [found.workspaceId] };
}

/** A row as it is now; undefined if the caller owns no such row. @param values as for a change of it */
export async function findInSteps(
  tx: Executor,
  { table, current }: DistributedStatements,
  values: Values,
): Promise<{ snapshot: string; version: number } | undefined> {
  const { team: teamId, workspaces: workspaceIds } = values;
  const row_id = values['id'] as bigint;
  const place = await inItsWorkspace(tx, table.name, { teamId, workspaceIds, isDistributed: true }, row_id);
  if (place === null) return undefined;
  const workspace_id = place.workspaceIds?.[0];
  const given = { ...values, workspaces: place.workspaceIds, workspace_id, row_id };
  type Found = { snapshot: string; version: number };
  const found = await tx.$queryRawUnsafe<Found[]>(current.text, ...valuesOf(current, given));
  return found[0];
}

interface Before {
  readonly fits: boolean;
  readonly is_change: boolean;
  readonly parent_id: bigint;
  readonly contact_id: bigint | null;
  readonly before: string;
  readonly was: string;
  readonly changed: string;
}

interface After {
  readonly contact_id: bigint | null;
  readonly after: string;
  /** JSON: for each event of the noun's rules, whether it happened. */
  readonly happened: string;
}

class Steps {
  readonly #tx: Transaction;
  readonly #statements: DistributedStatements;
  readonly #values: Values;
  readonly #recorded: Recorded;

  /** @param values restricted to the row's workspace @param recorded with all workspaces that the caller may access */
  constructor(tx: Transaction, statements: DistributedStatements, values: Values, recorded: Recorded) {
    this.#tx = tx;
    this.#statements = statements;
    this.#values = values;
    this.#recorded = recorded;
  }

  async create(): Promise<Claimed | 'not_found' | 'unfit'> {
    const { table, rules, create, touch, after } = this.#statements;
    const [owner] = await this.#ask<{ workspace_id: bigint }>(create.owner);
    if (owner === undefined) return 'not_found';
    const { workspace_id } = owner;
    if (create.siblings !== null && rules.most !== undefined) {
      const [found] = await this.#ask<{ count: number }>(create.siblings, { workspace_id });
      if ((found?.count ?? 0) >= rules.most.perParent) return 'unfit';
    }
    const auditEntryId = await this.#claim(workspace_id, 'created');
    const [drawn] = await this.#ask<{ id: bigint; now: string; changed: string }>(create.draw);
    if (drawn === undefined) throw new TypeError('No id was drawn');
    const { id: row_id, now, changed } = drawn;
    const last = create.last && (await this.#ask<{ position: number }>(create.last, { workspace_id }))[0];
    const of = { workspace_id, row_id, now, changed, parent_id: this.#values['id'], ...last };
    await this.#do(create.insert, of);
    const tags =
      rules.tags === undefined
        ? []
        : await applyTags(this.#tx, rules.tags, workspace_id, row_id, tagIdsOf(this.#values) ?? []);
    const children = await this.#writeChildren({ workspaceId: workspace_id, id: row_id, isNew: true });
    if (touch !== null) await this.#do(touch, of);
    const [made] = await this.#ask<After>(after.created, of);
    if (made === undefined) throw new TypeError(`${table.name}: what was created is not there`);
    const events = [...this.#happened('created', row_id, made), ...tags];
    return {
      auditEntryId,
      ...this.#record('created', workspace_id, row_id, { before: null, ...made }, events, children),
    };
  }

  async update(): Promise<Claimed | Unchanged | 'not_found' | 'unfit'> {
    const { table, rules, update, after } = this.#statements;
    const found = await this.#lock();
    if (found === null) return 'not_found';
    const { of, before } = found;
    if (!before.fits) return 'unfit';
    const auditEntryId = await this.#claim(of.workspace_id, 'updated');
    const tagIds = tagIdsOf(this.#values);
    const tags =
      rules.tags === undefined || tagIds === null
        ? []
        : await replaceTags(this.#tx, rules.tags, of.workspace_id, of.row_id, tagIds);
    const children = await this.#writeChildren({ workspaceId: of.workspace_id, id: of.row_id, isNew: false });
    if (!before.is_change && tags.length === 0 && children.length === 0)
      return { workspaceId: of.workspace_id, unchanged: before.before, isClaimed: true };
    const values = { ...of, ...before, ...(await this.#now()) };
    await this.#do(update, values);
    const [made] = await this.#ask<After>(after.updated, values);
    if (made === undefined) throw new TypeError(`${table.name}: what was changed is not there`);
    const events = [...this.#happened('updated', of.row_id, made), ...tags];
    const snapshots = { ...made, before: before.before };
    return {
      auditEntryId,
      ...this.#record('updated', of.workspace_id, of.row_id, snapshots, events, children),
    };
  }

  /** Writes the children that were given with the row. @returns what changed */
  async #writeChildren(parent: Parameters<typeof writeChildren>[2]): Promise<readonly ChangeRecord[]> {
    const given = (this.#values['children'] ?? {}) as GivenChildren;
    const written: ChangeRecord[] = [];
    for (const list of this.#statements.rules.children ?? [])
      written.push(...(await writeChildren(this.#tx, list, parent, given[list.property] ?? [])));
    return written;
  }

  async remove(): Promise<Claimed | 'not_found' | 'unfit'> {
    const { table, remove, touch } = this.#statements;
    const found = await this.#lock();
    if (found === null) return 'not_found';
    const { of, before } = found;
    if (!before.fits) return 'unfit';
    const auditEntryId = await this.#claim(of.workspace_id, 'removed');
    await this.#do(remove, of);
    if (touch !== null) await this.#do(touch, { ...of, ...before, ...(await this.#now()) });
    const events = this.#event(table.resource, 'deleted', of.row_id, before.before);
    const snapshots = { contact_id: before.contact_id, before: before.before, after: null };
    return { auditEntryId, ...this.#record('deleted', of.workspace_id, of.row_id, snapshots, events) };
  }

  /** Locks the row, then reads it: a change that waited for the lock sees the latest state. */
  async #lock() {
    const { lock, before } = this.#statements;
    const [locked] = await this.#ask<{ workspace_id: bigint }>(lock);
    if (locked === undefined) return null;
    const of = { workspace_id: locked.workspace_id, row_id: this.#values['id'] as bigint };
    const [found] = await this.#ask<Before>(before, { given: '{}', known_by: null, ...this.#values, ...of });
    return found === undefined ? null : { of, before: found };
  }

  async #now(): Promise<{ now: string } | undefined> {
    const [time] = await this.#ask<{ now: string }>(this.#statements.now);
    return time;
  }

  #claim(workspaceId: bigint, outcome: ChangeOutcome): Promise<bigint> {
    return claimInSteps(this.#tx, this.#recorded, workspaceId, outcome);
  }

  #event(resource: Resource, name: string, subjectId: bigint, data: string): ChangeRecord['events'] {
    if (!isTold(resource, name)) return [];
    // Nobody asks for more in an event.
    return [{ resource, name, subjectId, data: withoutMembers(data, expandableNames(resource)) }];
  }

  /** The event of the change itself, and the events of the noun's rules that happened with it. */
  #happened(
    name: 'created' | 'updated',
    subjectId: bigint,
    { after, happened }: After,
  ): ChangeRecord['events'] {
    const { table, rules } = this.#statements;
    const flags = JSON.parse(happened) as Readonly<Record<string, boolean>>;
    const names = [name, ...Object.keys(rules.events ?? {}).filter((event) => flags[event] === true)];
    return names.flatMap((event) => this.#event(table.resource, event, subjectId, after));
  }

  #record(
    action: 'created' | 'updated' | 'deleted',
    workspaceId: bigint,
    subjectId: bigint,
    { contact_id, before, after }: { contact_id: bigint | null; before: string | null; after: string | null },
    events: ChangeRecord['events'],
    children: readonly ChangeRecord[] = [],
  ): ChangeRecord {
    const { resource } = this.#statements.table;
    const outcome = action === 'deleted' ? 'removed' : action;
    return {
      workspaceId,
      resource,
      action,
      outcome,
      subjectId,
      contactId: contact_id,
      before,
      after,
      events: [...events, ...children.flatMap((child) => child.events)],
      children: children.filter((child) => child.resource.topic !== undefined),
      rows: children.length,
    };
  }

  #ask<Row extends object>(statement: NamedStatement, values: object = {}): Promise<Row[]> {
    return this.#tx.$queryRawUnsafe<Row[]>(
      statement.text,
      ...valuesOf(statement, { ...this.#values, ...values }),
    );
  }

  #do(statement: NamedStatement, values: object): Promise<number> {
    return this.#tx.$executeRawUnsafe(statement.text, ...valuesOf(statement, { ...this.#values, ...values }));
  }
}

/** The set of tags that the change gives; null leaves the tags as they are. */
function tagIdsOf(values: Values): readonly bigint[] | null {
  return (values['tag_ids'] as readonly bigint[] | null | undefined) ?? null;
}
