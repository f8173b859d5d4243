// Defines mutations on top of the services' changes: input fields from a noun's description, retries by idempotency key, and a
// payload with the changed row. Without the scope to read it, the caller gets its ids alone (payload-scopes.ts).
import type { FieldMap, InputFieldMap } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { coversScope, requireCaller, type Scope } from '../auth/scopes.ts';
import { invalid, mustBe, parseAll } from '../errors.ts';
import { orderFields } from '../resources/description/common-fields.ts';
import { typeOf } from '../resources/description/field-types.ts';
import type { Fields } from '../resources/description/fields.ts';
import { type Moment, momentOfAction, writableFields } from '../resources/description/inputs.ts';
import { nounPhrase, pluralOf, uncapitalize } from '../resources/description/names.ts';
import type { Action, Resource } from '../resources/description/resource.ts';
import type { Input } from '../services/input/parse-fields.ts';
import {
  type IdempotencyKey,
  parseIdempotencyKey,
  type WriteOptions,
} from '../services/input/write-options.ts';
import type { Service } from '../services/service.ts';
import { builder, rowOf, type Types } from './builder.ts';
import type { ConnectionType } from './connection.ts';
import type { GraphContext } from './context.ts';
import { CRITERION_FORMS } from './criteria.ts';
import { encodeGlobalId, parseGlobalId } from './global-ids.ts';
import { inputFields } from './input-fields.ts';
import { currenciesIn, isGivable, namesIn } from './input-names.ts';
import { formOf, membersOf } from './input-values.ts';
import type { NodeType } from './nodes.ts';
import { type IdFields, IF_MATCH, refusable, userErrorsField, WHOLE_INPUT } from './user-errors.ts';

/** The cost of a change in the cost analysis, in rows: the same as a page. */
export const CHANGE_COST = 20;

/** The method and path for which an idempotency key of a mutation is valid. */
const PLACE = 'POST /graphql';

type Edges<Row extends { readonly id: bigint }> = Pick<ConnectionType<Row>, 'edge' | 'scope'>;
/** A type of objects, the title of its noun, and the input field with the id of one: by default `contactId` for Contact. */
type Named = Pick<NodeType<unknown>, 'name' | 'title'> & { readonly idField?: string };
export type InputBuilder = PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>;
type InputValues = Readonly<Record<string, unknown>>;

/** The result of a mutation, and the ids of the objects in its input. */
interface MutationResult<Result> {
  readonly result: Result;
  readonly ids: readonly bigint[];
}

/** Builds the fields of a payload. */
export type PayloadBuilder<Result> = PothosSchemaTypes.ObjectFieldBuilder<Types, MutationResult<Result>>;

interface Mutation<Result> {
  readonly description: string;
  /** null: it depends on the input, and the change checks it. */
  readonly scope: Scope | null;
  /** The types of the objects whose ids the input has. */
  readonly of: readonly Named[];
  /** Further input fields with ids, by the titles of their nouns. */
  readonly idFields?: IdFields;
  /** The other input fields; at creation, required fields are non-null. */
  readonly fields?: Fields;
  readonly moment?: Moment;
  /** False: a retry cannot get the answer of the first request, so it takes no idempotency key. */
  readonly isRepeatable?: boolean;
  /** Input fields that are in no description. */
  readonly inputs?: (t: InputBuilder) => InputFieldMap;
  /** @param ids in the order of `of` @param given the complete input */
  change(
    ctx: GraphContext,
    ids: readonly bigint[],
    input: Input,
    options: WriteOptions,
    given: InputValues,
    info: GraphQLResolveInfo,
  ): Promise<Result>;
  readonly payload: (t: PayloadBuilder<Result>) => FieldMap;
}

/** Defines a mutation that can be retried with an idempotency key. */
export function defineMutation<Result>(name: string, mutation: Mutation<Result>): void {
  const { description, scope, of, fields = {}, moment = 'change', isRepeatable = true } = mutation;
  const { inputs, change, payload } = mutation;
  const idFields = new Map([...idFieldsOf(of), ...(mutation.idFields ?? [])]);
  builder.relayMutationField(
    name,
    {
      description: `The input of ${name}.`,
      inputFields: (t) => ({
        ...Object.fromEntries(of.map((type) => [idFieldOf(type), idInput(t, type)])),
        ...inputFields(t, fields, moment),
        ...inputs?.(t),
        ...(isRepeatable && { idempotencyKey: t.string({ description: 'Makes retries safe.' }) }),
      }),
    },
    {
      description,
      nullable: true,
      scope,
      cost: CHANGE_COST,
      resolve: refusable(idFields, async (_root, args, ctx, info): Promise<MutationResult<Result>> => {
        const values = args.input as InputValues;
        const { ids, ...options } = parseAll({
          ids: () => parseIds(of, values),
          idempotencyKey: () => parseKey(values['idempotencyKey']),
          precondition: () => parsePrecondition(values[IF_MATCH]),
        });
        const nameOf = namesIn(fields, values);
        const input: Input = {
          ...membersOf(fields, values),
          ...{ nameOf, formOf, isGivable, whole: WHOLE_INPUT },
          currencyOf: currenciesIn(values),
          criterionForms: CRITERION_FORMS,
        };
        const result = await change(ctx, ids, input, options, values, info);
        // Values that were loaded before the change are stale.
        ctx.loaders.clear();
        return { result, ids };
      }),
    },
    {
      description: `The result of ${name}.`,
      outputFields: (t) => ({ userErrors: userErrorsField(t), ...payload(t) }),
    },
  );
}

interface Change<Row>
  extends Pick<Mutation<unknown>, 'description' | 'scope' | 'fields' | 'moment' | 'isRepeatable'> {
  change(ctx: GraphContext, id: bigint, input: Input, options: WriteOptions): Promise<{ readonly row: Row }>;
  /** Whether the input has `ifMatch`: for objects with `updatedAt`. */
  readonly takesPrecondition?: boolean;
}

/** Defines a mutation that changes one object. Its payload has the object after the change. */
export function defineChange<Row>(
  name: string,
  node: NodeType<Row>,
  { change, takesPrecondition = false, ...rest }: Change<Row>,
) {
  defineMutation(name, {
    ...rest,
    ...(takesPrecondition && { inputs: ifMatchInput }),
    of: [node],
    change: (ctx, [id = 0n], input, options) => change(ctx, id, input, options),
    payload: (t) => ({ [uncapitalize(node.name)]: rowField(t, node) }),
  });
}

/**
 * Defines a mutation for each change that the noun's service offers: `createX`, `updateX`, `archiveX`, `unarchiveX`, `deleteX`, `reorderXs`,
 * and the noun's actions.
 * @param parent the type of the object in which a new one is created
 * @param connection the type of the lists that contain the new object; absent: objects are not created
 */
export function defineChanges<Row extends { readonly id: bigint }>(
  node: NodeType<Row>,
  resource: Resource,
  { writeScope: scope, create, update, archive, unarchive, remove, reorder, actions }: Service<Row>,
  parent: NodeType<Row>,
  connection?: Edges<Row>,
): void {
  if (scope === undefined) return;
  const { name } = node;
  const field = uncapitalize(name);
  const takesPrecondition = 'updatedAt' in resource.fields;
  const one = nounPhrase(resource);
  if (update !== undefined)
    defineChange(`update${name}`, node, {
      description: `Changes ${one}. Fields that are not sent stay unchanged; null clears a field.`,
      scope,
      fields: writableFields(resource, 'change'),
      takesPrecondition,
      change: update,
    });
  if (archive !== undefined)
    defineChange(`archive${name}`, node, {
      description: `Archives ${one}. If it is already archived, nothing changes.`,
      scope,
      takesPrecondition,
      change: (ctx, id, _input, options) => archive(ctx, id, options),
    });
  if (unarchive !== undefined)
    defineChange(`unarchive${name}`, node, {
      description: `Unarchives ${one}. If it is not archived, nothing changes.`,
      scope,
      takesPrecondition,
      change: (ctx, id, _input, options) => unarchive(ctx, id, options),
    });
  const { archived } = resource.fields;
  // REST archives these by a change of the field.
  if (update !== undefined && archived?.writable !== undefined)
    for (const [verb, value] of [
      ['archive', true],
      ['unarchive', false],
    ] as const)
      defineChange(`${verb}${name}`, node, {
        description: `${verb === 'archive' ? 'Archives' : 'Unarchives'} ${one}. If it is already so, nothing changes.`,
        scope,
        takesPrecondition,
        change: (ctx, id, input, options) => {
          const members = { [input.nameOf('archived', archived)]: value };
          return update(ctx, id, { ...input, members }, options);
        },
      });
  for (const [action, change] of Object.entries(actions)) {
    const { summary = action, fields, makes } = resource.actions?.[action] ?? {};
    const definition = {
      description: `${summary}.`,
      scope,
      ...(fields && { fields, moment: momentOfAction(fields) }),
    };
    if (makes === undefined || connection === undefined)
      defineChange(`${action}${name}`, node, { ...definition, change });
    else
      defineMutation(`${action}${name}`, {
        ...definition,
        of: [node],
        change: (ctx, [id = 0n], input, options) => change(ctx, id, input, options),
        payload: (t) => ({
          [makes.changed]: rowField(t, node, makes.changedDescription),
          ...madeFields(t, node, connection, makes),
        }),
      });
  }
  if (remove !== undefined)
    defineMutation(`delete${name}`, {
      description: `Deletes ${one}.`,
      scope,
      of: [node],
      ...(takesPrecondition && { inputs: ifMatchInput }),
      change: (ctx, [id = 0n], _input, options) => remove(ctx, id, options),
      payload: (t) => ({
        [`deleted${name}Id`]: t.id({
          description: 'The global id of the deleted object.',
          resolve: ({ ids: [id = 0n] }) => encodeGlobalId(name, id),
        }),
      }),
    });
  if (reorder !== undefined)
    defineMutation(`reorder${pluralOf(name)}`, {
      description: `Reorders the ${pluralOf(resource.title.toLowerCase())} of one ${parent.name}.`,
      scope,
      of: [parent],
      fields: orderFields(resource),
      moment: 'creation',
      change: (ctx, [id = 0n], input, options) => reorder(ctx, id, input, options),
      payload: (t) => ({ [uncapitalize(parent.name)]: rowField(t, parent as NodeType<{ id: bigint }>) }),
    });
  if (create !== undefined && connection !== undefined)
    defineMutation(`create${name}`, {
      description: `Creates ${one}.`,
      scope,
      of: [parent],
      fields: writableFields(resource, 'creation'),
      moment: 'creation',
      change: (ctx, [id = 0n], input, options) => create(ctx, id, input, options),
      payload: (t) => ({
        [field]: rowField(t, node),
        [`${field}Edge`]: edgeField(t, connection),
      }),
    });
}

const EDGE = 'The new object as an edge, to add to a loaded list.';

/** The payload's field with the row after the change. A retry gets the same row again. */
export function rowField<Row, Result extends { readonly row: Row }>(
  t: PayloadBuilder<Result>,
  { ref, name }: NodeType<Row>,
  description = `The ${name} after the change.`,
): FieldMap[string] {
  return t.field({ ...OF_CHANGE, type: ref, description, resolve: ({ result }) => rowOf<Row>(result.row) });
}

/** The payload's field with the new row and its cursor. */
export function edgeField<Row extends { readonly id: bigint }, Result extends { readonly row: Row }>(
  t: PayloadBuilder<Result>,
  { edge }: Edges<Row>,
): FieldMap[string] {
  return t.field({
    ...OF_CHANGE,
    type: edge,
    description: EDGE,
    resolve: ({ result }) => rowOf<Row>(result.row),
  });
}

/** The payload's fields with the object that an action made, and its edge. */
function madeFields<Row extends { readonly id: bigint }>(
  t: PayloadBuilder<{ readonly row: Row }>,
  node: NodeType<Row>,
  { edge }: Edges<Row>,
  { property, description }: NonNullable<Action['makes']>,
): FieldMap {
  const made = async (ctx: GraphContext, changed: Row) => {
    const shown = (changed as Readonly<Record<string, unknown>>)[property] as Row | null;
    // Without the scope to read it, only its ids are selected.
    const isReadable = node.scope === null || coversScope(requireCaller(ctx).scopes, node.scope);
    return shown !== null && isReadable ? node.load(ctx, shown.id) : shown;
  };
  const read = (type: typeof node.ref | typeof edge, description: string) =>
    t.field({
      ...{ type: type as typeof node.ref, nullable: true, scope: null, cost: 1, sameRows: true, description },
      resolve: ({ result }, _args, ctx) => rowOf<Row>(made(ctx, result.row)),
    });
  return { [property]: read(node.ref, description), [`${property}Edge`]: read(edge, EDGE) };
}

/** Options of payload fields: the scope of the change is enough for the ids. payload-scopes.ts checks the other fields before the change. */
const OF_CHANGE = { scope: null, sameRows: true } as const;

function idInput(t: InputBuilder, { name }: Named) {
  return t.id({ required: true, description: `The global id of the ${name}.` });
}

function parseIds(of: readonly Named[], input: InputValues): bigint[] {
  const parsers = of.map((type) => {
    const field = idFieldOf(type);
    return [field, () => parseGlobalId(type, String(input[field]), field)] as const;
  });
  return Object.values(parseAll(Object.fromEntries(parsers)));
}

/** The input field with the precondition of a change. */
export function ifMatchInput(t: InputBuilder): InputFieldMap {
  return {
    [IF_MATCH]: t.field({
      type: 'DateTime',
      description: 'The `updatedAt` that you read: another one is STALE.',
    }),
  };
}

/** The precondition that the object has this `updatedAt`; null without one. @throws AppError `invalid` */
function parsePrecondition(given: unknown): WriteOptions['precondition'] {
  if (given == null) return null;
  const { parse, expected } = typeOf('timestamp');
  const time = parse(given) as Date | undefined;
  if (time === undefined) throw invalid(IF_MATCH, mustBe(expected));
  return (row) => (row as { updatedAt?: Date }).updatedAt?.getTime() === time.getTime();
}

/** The input fields with ids, by the titles of their nouns. */
export function idFieldsOf(of: readonly Named[]): IdFields {
  return new Map(of.map((type) => [type.title, idFieldOf(type)]));
}

/** The idempotency key that the client sent; null without one. @throws AppError `invalid` */
function parseKey(given: unknown): IdempotencyKey | null {
  return typeof given === 'string' ? parseIdempotencyKey(given, PLACE, 'idempotencyKey') : null;
}

function idFieldOf({ name, idField = `${uncapitalize(name)}Id` }: Named): string {
  return idField;
}
