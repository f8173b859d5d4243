// The changes of every noun: create, update, archive, remove and reorder, derived from its description.
import { type Permitted, requireScope, type Scope, scopeFor } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { notFound, parseAll } from '../../errors.ts';
import type { Fields } from '../../resources/description/fields.ts';
import { type Moment, writableFields } from '../../resources/description/inputs.ts';
import type { Resource, Row } from '../../resources/description/resource.ts';
import type { Described } from '../../resources/nouns.ts';
import { withArchiving } from '../../store/changing/archiving.ts';
import { changesOf, type Given as GivenRow, TooMany } from '../../store/changing/changes.ts';
import { type ChildChanges, withPlace } from '../../store/changing/children.ts';
import { withHandingOver } from '../../store/changing/handing-over.ts';
import type { ChangeOrigin } from '../../store/changing/records.ts';
import { type ChangeRules, Refused } from '../../store/changing/rules.ts';
import type { ChangeRequest } from '../../store/changing/steps.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { amountsOf } from '../input/amounts.ts';
import { columnsOf, defaultsOf } from '../input/column-values.ts';
import {
  type Check,
  converted,
  type Input,
  type NameOf,
  type Naming,
  type NewValues,
  parseFields,
} from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { rowsOf } from '../reading/needed-scopes.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { childWritesOf } from './children.ts';
import { type ChangeAnswer, mutate } from './mutate.ts';
import { haveLookUps, requireOwn, workspaceOf } from './references.ts';
import { reorder } from './reordering.ts';
import { transitionsOf } from './transitions.ts';
import { refusedBy, toInvalid, tooMany } from './violations.ts';

/** The special rules of a noun's changes. */
interface Rules extends ChangeRules {
  /** Converts the input to the form of the description. @throws AppError `invalid` */
  readonly normalize?: (input: Input) => Input;
  /** Rules over several members of the input. A member that is wrong by itself is there, but undefined. @throws AppError `invalid` */
  readonly check?: (given: NewValues<Fields>, moment: Moment, input: Input) => void;
  /** Children to create with a new row in addition to the client's, by their lists in `children`. */
  readonly companions?: (given: NewValues<Fields>) => ChildChanges;
  /** Values that depend on the current row too: `settle` gets the row only if `needRow` is true. */
  readonly onRow?: {
    needRow(given: NewValues<Fields>): boolean;
    /** @throws AppError `invalid` */
    settle(given: NewValues<Fields>, was: NewValues<Fields>, nameOf: NameOf): NewValues<Fields>;
  };
  /**
   * Values that clients cannot set, looked up for the values that they do: of columns among `derived`, or inputs for the noun's other rules.
   * @param findWorkspace finds the workspace of the row; null if the caller does not own it
   * @throws AppError `invalid` blaming members
   */
  readonly lookUp?: (
    ctx: Context,
    given: NewValues<Fields>,
    nameOf: NameOf,
    findWorkspace: () => Promise<bigint | null>,
  ) => Promise<NewValues<Fields>>;
  /** Values for the parameters of its derived columns, at creation. */
  readonly parameters?: (
    ctx: Context,
  ) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>;
}

export interface Writes<Row> {
  /** The scope for all of these. */
  readonly writeScope: Scope;
  /**
   * Parses the input of a creation or a change.
   * @param of the fields that may be set, if they differ from the noun's description
   * @param check further rules, as in `parseFields`
   * @throws AppError `invalid` blaming members
   */
  parse(input: Input, moment: Moment, of?: Fields, check?: (given: Partial<Row>) => void): Partial<Row>;
  /** As `parse` at creation, with the checks of `create` that need the input alone. */
  parseNew(input: Input): Partial<Row>;
  /**
   * @param request identifies a retry, if this is part of another operation
   * @throws AppError `invalid` blaming members, `not_found` for the parent
   */
  create(
    ctx: Context,
    parent: Ref,
    input: Input,
    options: WriteOptions,
    request?: readonly unknown[],
  ): Promise<ChangeAnswer<Row>>;
  /**
   * @param found if the client does not use the row's id: the property that identifies the row, and what identifies a retry
   * @throws AppError `invalid` blaming members, `not_found`, `precondition_failed`, also when the row no longer has that property's value;
   *   `conflict` for a value that may not follow the current one
   */
  update(
    ctx: Context,
    ref: Ref,
    input: Input,
    options: WriteOptions,
    found?: { readonly by: string; readonly request: readonly unknown[] },
  ): Promise<ChangeAnswer<Row>>;
  /** Archives a row; an archived row stays unchanged. @throws AppError `not_found`, `precondition_failed` */
  archive(ctx: Context, ref: Ref, options: WriteOptions): Promise<ChangeAnswer<Row>>;
  /** Takes a row out of the archive. @throws AppError `not_found`, `precondition_failed` */
  unarchive(ctx: Context, ref: Ref, options: WriteOptions): Promise<ChangeAnswer<Row>>;
  /**
   * Gives all objects below one parent a new order. @returns the parent, which this changes
   * @throws AppError `not_found` for the parent; `invalid`; `precondition_failed` for the parent
   */
  reorder(
    ctx: Context,
    parent: Ref,
    input: Input,
    options: WriteOptions,
  ): Promise<ChangeAnswer<{ id: bigint }>>;
  /** @throws AppError `not_found`, also if the row was removed before; `precondition_failed` */
  remove(ctx: Context, ref: Ref, options: WriteOptions): Promise<ChangeAnswer<Row, 'removed'>>;
  /**
   * As `remove`, for a client that does not use the row's id.
   * @param by the result of `requireScope` with `writeScope`
   * @param named the client's reference to the row, the same in a retry
   * @param id null when there is no such row or the caller does not own it
   */
  removeFound(
    ctx: Context,
    by: Permitted,
    named: readonly unknown[],
    id: bigint | null,
    options: WriteOptions,
  ): Promise<ChangeAnswer<Row, 'removed'>>;
}

/** A client's request to change a row. */
interface ChangeInput {
  /** The content of the request: a retry must have the same. */
  readonly request: readonly unknown[];
  /** The property that identifies the row if the client does not use its id; otherwise null. */
  readonly knownBy: string | null;
  readonly nameOf?: NameOf;
}

/** The changes of one noun. They require its write scope and change only rows that the caller owns. @param own its special rules */
export function writesOf<R extends Described>(noun: R, own: Rules = {}): Writes<Row<R> & { id: bigint }> {
  const rules: Rules = { ...own, ...withHandingOver(noun, withPlace(noun, withArchiving(noun, own))) };
  const table = tableOf(noun);
  const writeScope = scopeFor(noun, 'write');
  const { resource, title, parent: over } = table;
  const { most } = rules;
  const changes = changesOf(table, rules);
  const toRowFor = rowsOf<Row<R> & { id: bigint }>(resource);
  const fields = {
    creation: writableFields(resource, 'creation'),
    change: writableFields(resource, 'change'),
  };
  const looksUp = { creation: haveLookUps(fields.creation), change: haveLookUps(fields.change) };
  const defaults = defaultsOf(fields.creation);
  const amounts = amountsOf(resource.fields);
  const children = childWritesOf(resource);
  const transitions = transitionsOf(fields.change);

  function parse(
    input: Input,
    moment: Moment,
    of = fields[moment],
    check: Check<Fields> = () => undefined,
  ): NewValues<Fields> {
    const { normalize = (given) => given } = rules;
    const mayBeEmpty = moment === 'change' || resource.mayBeEmpty === true;
    return parseFields(of, converted(input, normalize), moment, mayBeEmpty, (given) =>
      parseAll({ own: () => rules.check?.(given, moment, input), also: () => check(given) }),
    );
  }

  /** Checks the amounts and the children of a new object, except those that the parser blames already, and amounts of a currency to look up. */
  function checkNew(given: NewValues<Fields>, input: Input): void {
    const isWhole = (value: unknown) =>
      [value].flat().every((item) => item !== undefined && !Object.values(item ?? {}).includes(undefined));
    const whole = Object.fromEntries(Object.entries(given).filter(([, value]) => isWhole(value)));
    const lacksCurrency = Object.entries(fields.creation).some(
      ([property, field]) =>
        field.type === 'currency' && !(property in whole) && (property in given || !(property in defaults)),
    );
    parseAll({
      own: () => !lacksCurrency && amounts?.settle(whole, defaults, input),
      below: () => children?.settle(whole, 'creation', defaults, input),
    });
  }

  const parseNew = (input: Input) => parse(input, 'creation', undefined, (given) => checkNew(given, input));

  /**
   * The values of a row, from the input and the current row, or the default values of a new one.
   * @throws AppError `invalid` blaming amounts, and members of children; `conflict` for a value that may not follow the current one
   */
  function settleWith(
    given: NewValues<Fields>,
    moment: Moment,
    was: NewValues<Fields>,
    naming: Naming,
  ): GivenRow {
    const { nameOf } = naming;
    const { own, below } = parseAll({
      own: () => amounts?.settle(given, was, naming) ?? given,
      below: () => children?.settle(given, moment, was, naming),
    });
    if (moment === 'creation')
      return givenRow(resource, { ...was, ...own }, { ...below, ...rules.companions?.(given) });
    transitions?.require(given, was, nameOf);
    return givenRow(resource, rules.onRow?.settle(own, was, nameOf) ?? own, below);
  }

  async function execute(
    ctx: Context,
    verb: 'create' | 'update' | 'remove',
    recorded: ChangeOrigin,
    wanted: ChangeRequest,
    nameOf: NameOf = (property) => property,
  ) {
    try {
      return await changes.execute(ctx, verb, recorded, wanted);
    } catch (error) {
      const moment = verb === 'create' ? 'creation' : 'change';
      const refused = verb === 'remove' ? error : (children?.toInvalid(error, moment, nameOf) ?? error);
      if (refused !== error) throw refused;
      if (error instanceof Refused) throw refusedBy(error, resource, moment, nameOf);
      if (error instanceof TooMany && most) throw tooMany(table, most, nameOf);
      throw toInvalid(error, table, nameOf, {
        propertiesOfConstraints: rules.constraints,
        isRemoval: verb === 'remove',
      });
    }
  }

  function change(
    ctx: Context,
    by: Permitted,
    id: bigint,
    given: Pick<ChangeRequest, 'given' | 'needsRow' | 'needsModels'>,
    options: WriteOptions,
    { request, knownBy, nameOf }: ChangeInput,
  ) {
    return mutate(ctx, {
      by,
      options,
      outcome: 'updated',
      request,
      subject: { table, id },
      takesPrecondition: true,
      change(recorded) {
        const wanted = { id, precondition: onJson(ctx, options), ...given, knownBy };
        return execute(ctx, 'update', recorded, wanted, nameOf);
      },
      toRow: toRowFor(ctx),
    });
  }

  /** Applies the precondition to the row in REST's JSON. */
  function onJson(ctx: Context, { precondition }: WriteOptions): ChangeRequest['precondition'] {
    return precondition && ((json) => precondition(toRowFor(ctx)(json)));
  }

  async function setArchived(ctx: Context, ref: Ref, archived: boolean, options: WriteOptions) {
    const by = requireScope(ctx, writeScope);
    const id = parseRef(title, table.name, ref);
    const request = [archived ? 'archive' : 'unarchive', table.name, id];
    const given = () => givenRow(resource, { archived });
    return change(ctx, by, id, { given }, options, { request, knownBy: null });
  }

  const writes: Writes<Row<R> & { id: bigint }> = {
    writeScope,
    parse: (input, moment, of, check) =>
      parse(input, moment, of, check as Check<Fields>) as Partial<Row<R> & { id: bigint }>,
    parseNew: (input) => parseNew(input) as Partial<Row<R> & { id: bigint }>,
    async create(ctx, parent, input, options, request) {
      const by = requireScope(ctx, writeScope);
      const { tenancy } = by;
      const given = parseNew(input);
      const id = parseRef(over.title, over.table, parent);
      const findWorkspace = () => workspaceOf(ctx, over.table, tenancy, id);
      if (looksUp.creation)
        await requireOwn(ctx, tenancy, fields.creation, given, input.nameOf, findWorkspace);
      const found = await rules.lookUp?.(ctx, given, input.nameOf, findWorkspace);
      const row = settleWith({ ...given, ...found }, 'creation', defaults, input);
      const parameters = (await rules.parameters?.(ctx)) ?? {};
      const needsModels = rules.othersByModels?.isNeeded(given) ?? false;
      const wanted = { id, precondition: null, needsModels, given: () => row, parameters };
      return mutate(ctx, {
        by,
        options,
        outcome: 'created',
        request: request ?? ['create', table.name, id, given],
        subject: { table, id: null },
        change: (recorded) => execute(ctx, 'create', recorded, wanted, input.nameOf),
        toRow: toRowFor(ctx),
      });
    },
    async update(ctx, ref, input, options, found) {
      const by = requireScope(ctx, writeScope);
      const { tenancy } = by;
      const given = parse(input, 'change');
      const id = parseRef(title, table.name, ref);
      const findWorkspace = () => workspaceOf(ctx, table.name, tenancy, id);
      if (looksUp.change) await requireOwn(ctx, tenancy, fields.change, given, input.nameOf, findWorkspace);
      const asked: ChangeInput = {
        request: found?.request ?? ['update', table.name, id, given],
        knownBy: found?.by ?? null,
        nameOf: input.nameOf,
      };
      const lookedUp = await rules.lookUp?.(ctx, given, input.nameOf, findWorkspace);
      const settle = (was: object) =>
        settleWith({ ...given, ...lookedUp }, 'change', was as NewValues<Fields>, input);
      const needsModels = rules.othersByModels?.isNeeded(given) ?? false;
      if ([amounts, children, transitions, rules.onRow].some((rules) => rules?.needRow(given))) {
        const seen = (before: string) => settle(toRowFor(ctx)(before));
        return change(ctx, by, id, { needsRow: true, needsModels, given: seen }, options, asked);
      }
      const row = settle({});
      return change(ctx, by, id, { needsModels, given: () => row }, options, asked);
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
        outcome: 'removed',
        request: ['remove', table.name, ...named],
        takesPrecondition: true,
        async change(recorded) {
          if (id === null) throw notFound(title);
          const wanted = { id, precondition: onJson(ctx, options), given: () => NOTHING };
          return execute(ctx, 'remove', recorded, wanted);
        },
        toRow: toRowFor(ctx),
      });
    },
  };
  return writes;
}

const NOTHING: GivenRow = { columns: {}, json: '{}', tagIds: null };

/** Converts the input to the values of a row. @param children the changes of its children */
function givenRow(resource: Resource, given: NewValues<Fields>, children?: ChildChanges): GivenRow {
  const { tagIds } = given as { tagIds?: readonly bigint[] | null };
  const inputs = Object.entries(given).filter(([property]) => !(property in resource.fields));
  return {
    ...columnsOf(resource, given),
    ...(children && { children }),
    ...(inputs.length > 0 && { inputs: Object.fromEntries(inputs) }),
    tagIds: tagIds === undefined ? null : (tagIds ?? []),
  };
}
