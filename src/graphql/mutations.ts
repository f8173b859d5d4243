// Defines Relay mutations over the changes that services make: input fields from a noun's description, retries by idempotency key,
// and the row that was changed, for callers who may not read it otherwise too.
import type { FieldMap } from '@pothos/core';
import type { Scope } from '../auth/scopes.ts';
import { parseAll } from '../errors.ts';
import {
  type Fields,
  type Moment,
  type Resource,
  withArticle,
  writableFields,
} from '../resources/resource.ts';
import type { Done } from '../services/mutate.ts';
import type { Input } from '../services/parse-fields.ts';
import { type IdempotencyKey, parseIdempotencyKey, type WriteOptions } from '../services/write-options.ts';
import type { Writes } from '../services/writes.ts';
import { builder, type Types } from './builder.ts';
import type { ConnectionType } from './connection.ts';
import type { GraphContext } from './context.ts';
import { formOf, inputFields, membersOf } from './input-fields.ts';
import { toFieldName } from './look-ups.ts';
import { encodeGlobalId, type NodeType, parseGlobalId } from './nodes.ts';

/** The cost of a change in the cost analysis, in rows: that of a page. */
const CHANGE_COST = 20;

/** Where a mutation's idempotency key is valid. */
const PLACE = 'POST /graphql';

type Edges<Row extends { readonly id: bigint }> = Pick<ConnectionType<Row>, 'edge'>;
type Named = Pick<NodeType<unknown>, 'name'>;
type InputBuilder = PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>;
type InputValues = Readonly<Record<string, unknown>>;

/** What a mutation has done, and the ids of the objects that it was about. */
interface Made<Result> {
  readonly result: Result;
  readonly ids: readonly bigint[];
}

/** Builds the fields of a payload. */
export type PayloadBuilder<Result> = PothosSchemaTypes.ObjectFieldBuilder<Types, Made<Result>>;

interface Mutation<Result> {
  readonly description: string;
  readonly scope: Scope;
  /** The types of the objects that it is about: for a Contact the input has `contactId`. */
  readonly of: readonly Named[];
  /** What else a client gives; at creation, required fields have to be given. */
  readonly fields?: Fields;
  readonly moment?: Moment;
  /** @param ids in the order of `of` */
  change(ctx: GraphContext, ids: readonly bigint[], input: Input, options: WriteOptions): Promise<Result>;
  readonly payload: (t: PayloadBuilder<Result>) => FieldMap;
}

/** Defines a mutation that can be retried with an idempotency key. */
export function defineMutation<Result>(name: string, mutation: Mutation<Result>): void {
  const { description, scope, of, fields = {}, moment = 'change', change, payload } = mutation;
  builder.relayMutationField(
    name,
    {
      description: `What ${name} needs to know.`,
      inputFields: (t) => ({
        ...Object.fromEntries(of.map((type) => [idFieldOf(type), idInput(t, type)])),
        ...inputFields(t, fields, moment),
        idempotencyKey: keyInput(t),
      }),
    },
    {
      description,
      nullable: true,
      scope,
      cost: CHANGE_COST,
      async resolve(_root, args, ctx): Promise<Made<Result>> {
        const values = args.input as InputValues;
        const { ids, members, idempotencyKey } = parseAll({
          ids: () => parseIds(of, values),
          members: () => membersOf(fields, values),
          idempotencyKey: () => parseKey(values['idempotencyKey']),
        });
        const input: Input = { members, nameOf: (property) => property, whole: 'input', formOf };
        const result = await change(ctx, ids, input, { idempotencyKey, fits: null });
        // Values that were loaded before the change are stale.
        ctx.loaders.clear();
        return { result, ids };
      },
    },
    { description: `What became of ${name}.`, outputFields: payload },
  );
}

/**
 * Defines `createX`, `updateX` and `deleteX` of a noun.
 * @param parent the type of what a new one is created in
 * @param connection the lists that a new one is then in
 * @param besides what else the payload of `createX` has
 */
export function defineChanges<Row extends { readonly id: bigint }, NewRow extends Row = Row>(
  node: NodeType<Row>,
  resource: Resource,
  writes: Pick<Writes<Row>, 'writeScope' | 'update' | 'remove'> & {
    create(...args: Parameters<Writes<Row>['create']>): Promise<Done<NewRow>>;
  },
  parent: Named,
  connection: Edges<Row>,
  besides: (t: PayloadBuilder<Done<NewRow>>) => FieldMap = () => ({}),
): void {
  const { writeScope: scope } = writes;
  const one = withArticle(resource.title.toLowerCase());
  defineMutation(`create${node.name}`, {
    description: `Creates ${one}.`,
    scope,
    of: [parent],
    fields: writableFields(resource, 'creation'),
    moment: 'creation',
    change: (ctx, [id = 0n], input, options) => writes.create(ctx, id, input, options),
    payload: (t) => ({
      [toFieldName(node.name)]: rowField(t, node),
      [`${toFieldName(node.name)}Edge`]: edgeField(t, connection),
      ...besides(t),
    }),
  });
  defineMutation(`update${node.name}`, {
    description: `Changes ${one}. What is not given is left as it is, and null clears it.`,
    scope,
    of: [node],
    fields: writableFields(resource, 'change'),
    change: (ctx, [id = 0n], input, options) => writes.update(ctx, id, input, options),
    payload: (t) => ({ [toFieldName(node.name)]: rowField(t, node) }),
  });
  defineMutation(`delete${node.name}`, {
    description: `Deletes ${one}.`,
    scope,
    of: [node],
    change: (ctx, [id = 0n], _input, options) => writes.remove(ctx, id, options),
    payload: (t) => ({
      [`deleted${node.name}Id`]: t.id({
        description: 'The global id that it had.',
        resolve: ({ ids: [id = 0n] }) => encodeGlobalId(node.name, id),
      }),
    }),
  });
}

/** The payload's field with the row as the change left it: for whoever may make the change, and for a retry the same again. */
export function rowField<Row, Result extends { readonly row: Row }>(
  t: PayloadBuilder<Result>,
  node: NodeType<Row>,
): FieldMap[string] {
  return t.field({
    type: node.ref,
    scope: null,
    sameRows: true,
    description: `The ${node.name} as it was left. A retry with the same idempotency key shows it as it was then.`,
    resolve: ({ result }) => result.row as never,
  });
}

/** The payload's field with a new row and its place, for whoever may make the change. */
export function edgeField<Row extends { readonly id: bigint }, Result extends { readonly row: Row }>(
  t: PayloadBuilder<Result>,
  { edge }: Edges<Row>,
): FieldMap[string] {
  return t.field({
    type: edge,
    scope: null,
    sameRows: true,
    description:
      'The same with its place in lists in their default order, for a client that adds it to those that it has.',
    resolve: ({ result }) => result.row as never,
  });
}

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

/** The input `idempotencyKey`. */
export function keyInput(t: InputBuilder) {
  return t.string({
    description:
      'Makes a retry safe: for 24 hours the same input with the same key changes nothing again, and the answer is what the first request did. 1 to 255 visible ASCII characters.',
  });
}

/** The key that a client chose, if it did. @throws AppError `invalid` */
export function parseKey(given: unknown): IdempotencyKey | null {
  return typeof given === 'string' ? parseIdempotencyKey(given, PLACE, 'idempotencyKey') : null;
}

function idFieldOf(type: Named): string {
  return `${toFieldName(type.name)}Id`;
}
