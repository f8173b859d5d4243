// The changes of every noun: create, update, archive, remove and reorder, derived from its description.
import { type Permitted, requireScope, type Scope, scopeFor } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { AppError, parseAll } from '../errors.ts';
import type { Described } from '../resources/nouns.ts';
import { type Fields, type Moment, type Resource, type Row, writableFields } from '../resources/resource.ts';
import { snapshotRows } from '../rows/snapshot-rows.ts';
import { withArchiving } from '../store/changing/archiving.ts';
import { executeChange, findCurrent } from '../store/changing/changes.ts';
import { type GivenChildren, withPlace } from '../store/changing/children.ts';
import type { ChangeRules } from '../store/changing/rules.ts';
import { changeStatements } from '../store/changing/statements.ts';
import { tableOf } from '../store/tables/tables.ts';
import { amountsOf } from './amounts.ts';
import { childWritesOf } from './children.ts';
import { columnsAsJson, defaultsOf } from './column-values.ts';
import { type Done, mutate } from './mutate.ts';
import { type Given, type Input, type NameOf, parseFields } from './parse-fields.ts';
import { requireOwn, workspaceOf } from './references.ts';
import { parseRef, type Ref } from './refs.ts';
import { reorder } from './reordering.ts';
import { whenSeen } from './seen-changes.ts';
import { toInvalid, tooMany } from './violations.ts';
import type { WriteOptions } from './write-options.ts';

/** The special rules of a noun's changes. */
interface Rules extends ChangeRules {
  /** Converts the input to the form of the description. @throws AppError `invalid` */
  readonly normalize?: (input: Input) => Input;
  /** Values for parameters that its derived columns name, at creation. */
  readonly parameters?: (ctx: Context) => Readonly<Record<string, unknown>>;
}

export interface Writes<Row> {
  /** The scope for all of these. */
  readonly writeScope: Scope;
  /**
   * Parses the input of a creation or a change.
   * @param of the fields that may be set, if they differ from the noun's description
   * @throws AppError `invalid` blaming members
   */
  parse(input: Input, moment: Moment, of?: Fields): Partial<Row>;
  /**
   * @param request what identifies a retry, if this is part of another operation
   * @throws AppError `invalid` blaming members, `not_found` for the parent
   */
  create(
    ctx: Context,
    parent: Ref,
    input: Input,
    options: WriteOptions,
    request?: readonly unknown[],
  ): Promise<Done<Row>>;
  /**
   * @param found when the client does not name the row by its id: the property that identifies it, and what identifies a retry
   * @throws AppError `invalid` blaming members, `not_found`, `precondition_failed`, also when the row no longer has that property's value
   */
  update(
    ctx: Context,
    ref: Ref,
    input: Input,
    options: WriteOptions,
    found?: { readonly by: string; readonly request: readonly unknown[] },
  ): Promise<Done<Row>>;
  /** Archives it; one that is archived already stays as it is. @throws AppError `not_found`, `precondition_failed` */
  archive(ctx: Context, ref: Ref, options: WriteOptions): Promise<Done<Row>>;
  /** Takes it out of the archive again. @throws AppError `not_found`, `precondition_failed` */
  unarchive(ctx: Context, ref: Ref, options: WriteOptions): Promise<Done<Row>>;
  /**
   * Gives all objects below one parent a new order. @returns the parent, which this changes
   * @throws AppError `not_found` for the parent; `invalid`; `precondition_failed` for the parent
   */
  reorder(ctx: Context, parent: Ref, input: Input, options: WriteOptions): Promise<Done<{ id: bigint }>>;
  /** @throws AppError `not_found`, also for what was removed before; `precondition_failed` */
  remove(ctx: Context, ref: Ref, options: WriteOptions): Promise<Done<Row, 'removed'>>;
  /**
   * As `remove`, when the client does not name the row by its id.
   * @param by the result of `requireScope` with `writeScope`
   * @param named how the client names it: a retry names the same
   * @param id null when there is no such row or the caller does not own it
   */
  removeFound(
    ctx: Context,
    by: Permitted,
    named: readonly unknown[],
    id: bigint | null,
    options: WriteOptions,
  ): Promise<Done<Row, 'removed'>>;
}

/** What a client asks for in a change of a row. */
interface Asked {
  /** What a retry has to ask for. */
  readonly request: readonly unknown[];
  /** What the row is known by, where a client does not name it by its id. */
  readonly knownBy: string | null;
  readonly nameOf?: NameOf;
}

/** The changes of one noun. They require its write scope and change only rows that the caller owns. @param own its special rules */
export function writesOf<R extends Described>(noun: R, own: Rules = {}): Writes<Row<R> & { id: bigint }> {
  const rules: Rules = { ...own, ...withPlace(noun, withArchiving(noun, own)) };
  const table = tableOf(noun);
  const writeScope = scopeFor(noun, 'write');
  const { resource, title, parent: over } = table;
  const { most } = rules;
  const statements = changeStatements(table, rules);
  const { tags, ...withoutTags } = rules;
  /** Most changes set no tags; without them a change costs PostgreSQL a fifth less. */
  const untagged = tags === undefined ? statements : changeStatements(table, withoutTags);
  const toRow = snapshotRows<Row<R> & { id: bigint }>(resource);
  const fields = {
    creation: writableFields(resource, 'creation'),
    change: writableFields(resource, 'change'),
  };
  const defaults = defaultsOf(fields.creation);
  const amounts = amountsOf(resource.fields);
  const children = childWritesOf(resource);

  function parse(input: Input, moment: Moment, of = fields[moment]): Given<Fields> {
    const { normalize = (given) => given } = rules;
    return parseFields(of, normalize(input), moment, moment === 'change' || resource.mayBeEmpty === true);
  }

  async function execute(
    ctx: Context,
    verb: 'create' | 'update' | 'remove',
    values: Parameters<typeof executeChange>[3],
    nameOf: NameOf = (property) => property,
  ) {
    try {
      return await executeChange(ctx, values['tag_ids'] === null ? untagged : statements, verb, values);
    } catch (error) {
      const refused = children?.toInvalid(error, verb === 'create' ? 'creation' : 'change', nameOf);
      if (refused !== undefined && refused !== error) throw refused;
      throw toInvalid(error, table, nameOf, { besides: rules.constraints, isRemoval: verb === 'remove' });
    }
  }

  /** @param given asked when the row is changed */
  function change(
    ctx: Context,
    by: Permitted,
    id: bigint,
    given: () => ReturnType<typeof parametersOf>,
    options: WriteOptions,
    { request, knownBy, nameOf }: Asked,
  ) {
    return mutate(ctx, {
      by,
      options,
      title,
      outcome: 'updated',
      request,
      subject: { table, id },
      current: (recorded) => findCurrent(ctx, statements, { ...recorded, id }, toRow),
      change(recorded, version) {
        const parameters = { ...given(), known_by: knownBy, row_version: version };
        return execute(ctx, 'update', { ...recorded, id, ...parameters }, nameOf);
      },
      toRow,
    });
  }

  async function setArchived(ctx: Context, ref: Ref, archived: boolean, options: WriteOptions) {
    const by = requireScope(ctx, writeScope);
    const id = parseRef(title, table.name, ref);
    const request = [archived ? 'archive' : 'unarchive', table.name, id];
    return change(ctx, by, id, () => parametersOf(resource, { archived }), options, {
      request,
      knownBy: null,
    });
  }

  const writes: Writes<Row<R> & { id: bigint }> = {
    writeScope,
    parse: (input, moment, of) => parse(input, moment, of) as Partial<Row<R> & { id: bigint }>,
    async create(ctx, parent, input, options, request) {
      const by = requireScope(ctx, writeScope);
      const { tenancy } = by;
      const given = parse(input, 'creation');
      const id = parseRef(over.title, over.table, parent);
      await requireOwn(ctx, tenancy, fields.creation, given, input.nameOf, () =>
        workspaceOf(ctx, over.table, tenancy, id),
      );
      const { settled, made } = parseAll({
        settled: () => amounts?.settle(given, defaults, input.nameOf) ?? given,
        made: () => children?.settle(given, 'creation', {}, input.nameOf),
      });
      const values = {
        id,
        ...parametersOf(resource, { ...defaults, ...settled }, made),
        ...rules.parameters?.(ctx),
      };
      return mutate(ctx, {
        by,
        options,
        title: over.title,
        outcome: 'created',
        request: request ?? ['create', table.name, id, given],
        change: (recorded) => execute(ctx, 'create', { ...recorded, ...values }, input.nameOf),
        ...(most && { unfit: () => tooMany(table, most, input.nameOf) }),
        toRow,
      });
    },
    async update(ctx, ref, input, options, found) {
      const by = requireScope(ctx, writeScope);
      const { tenancy } = by;
      const given = parse(input, 'change');
      const id = parseRef(title, table.name, ref);
      await requireOwn(ctx, tenancy, fields.change, given, input.nameOf, () =>
        workspaceOf(ctx, table.name, tenancy, id),
      );
      const asked: Asked = {
        request: found?.request ?? ['update', table.name, id, given],
        knownBy: found?.by ?? null,
        nameOf: input.nameOf,
      };
      const settleWith = (was: Given<Fields>) => {
        const { settled, made } = parseAll({
          settled: () => amounts?.settle(given, was, input.nameOf) ?? given,
          made: () => children?.settle(given, 'change', was, input.nameOf),
        });
        return parametersOf(resource, settled, made);
      };
      if (!amounts?.needRow(given) && !children?.needRow(given)) {
        const settled = settleWith({});
        return change(ctx, by, id, () => settled, options, asked);
      }
      let settled = parametersOf(resource, given);
      const settle = (was: object) => {
        try {
          settled = settleWith(was as Given<Fields>);
          return null;
        } catch (error) {
          if (error instanceof AppError) return error;
          throw error;
        }
      };
      return whenSeen(options, settle, (seen) => change(ctx, by, id, () => settled, seen, asked));
    },
    archive: (ctx, ref, options) => setArchived(ctx, ref, true, options),
    unarchive: (ctx, ref, options) => setArchived(ctx, ref, false, options),
    reorder: (ctx, parent, input, options) => reorder(ctx, table, writeScope, parent, input, options),
    async remove(ctx, ref, options) {
      const by = requireScope(ctx, writeScope);
      const id = parseRef(title, table.name, ref);
      return writes.removeFound(ctx, by, [id], id, options);
    },
    async removeFound(ctx, by, named, id, options) {
      return mutate(ctx, {
        by,
        options,
        title,
        outcome: 'removed',
        request: ['remove', table.name, ...named],
        current: (recorded) => findCurrent(ctx, statements, { ...recorded, id }, toRow),
        change: (recorded, version) => execute(ctx, 'remove', { ...recorded, id, row_version: version }),
        toRow,
      });
    },
  };
  return writes;
}

/** Converts the input to the parameters of a statement. @param children what is done to the object's children */
function parametersOf(resource: Resource, given: Given<Fields>, children: GivenChildren = {}) {
  const { tagIds } = given as { tagIds?: readonly bigint[] | null };
  return {
    given: columnsAsJson(resource, given),
    tag_ids: tagIds === undefined ? null : (tagIds ?? []),
    children,
  };
}
