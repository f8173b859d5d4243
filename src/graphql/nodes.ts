// Global ids, the types that have them, and the two fields that find objects by them (Relay's object identification).
import { brandWithType, type FieldMap, type InterfaceParam, type ObjectRef } from '@pothos/core';
import type { Scope } from '../auth/scopes.ts';
import { invalid } from '../errors.ts';
import { MAX_PAGE_SIZE } from '../pagination.ts';
import type { Resource } from '../resources/resource.ts';
import { writeBase64 } from './base64.ts';
import { builder, type Types } from './builder.ts';
import { type GraphContext, loadBatched } from './context.ts';
import { resourceFields } from './resource-fields.ts';

interface NodeRow {
  readonly id: bigint;
  readonly publicId: string;
}

type FieldBuilder<Row> = PothosSchemaTypes.ObjectFieldBuilder<Types, Row>;

/** The properties of a row that can name another one. */
type Reference<Parent> = {
  [Column in keyof Parent]: Parent[Column] extends bigint | null ? Column : never;
}[keyof Parent] &
  string;

/** A type whose objects have a global id. */
export interface NodeType<Row> {
  readonly name: string;
  /** What a caller needs to read objects of this type. */
  readonly scope: Scope;
  readonly ref: ObjectRef<Types, Row>;
  /** One object by its integer id, loaded together with the others asked for; null when there is none to see. */
  load(ctx: GraphContext, id: bigint): Promise<Row | null>;
  /** A field that leads to the object whose integer id stands in a column. */
  field<Parent extends object>(
    t: FieldBuilder<Parent>,
    column: Reference<Parent>,
    description: string,
  ): FieldMap[string];
}

interface NodeOptions<Row> {
  /** What a caller needs to read objects of this type. */
  readonly scope: Scope;
  readonly getMany: (ctx: GraphContext, ids: readonly bigint[]) => Promise<readonly (Row | null)[]>;
  /** Those that the description cannot give: what leads to other objects, lists, what is worked out. */
  readonly fields?: (t: FieldBuilder<Row>) => FieldMap;
  /** Interfaces besides Node. */
  readonly interfaces?: readonly InterfaceParam<Types>[];
}

const nodeTypes = new Map<string, NodeType<object>>();

/** Defines a noun's object type: `id`, `databaseId`, the fields of its description, and those of its own. */
export function defineNode<Row extends NodeRow>(
  { type: name, description, fields: described }: Pick<Resource, 'type' | 'description' | 'fields'>,
  { scope, getMany, fields = () => ({}), interfaces = [] }: NodeOptions<Row>,
): NodeType<Row> {
  const ref = builder.objectRef<Row>(name);
  ref.addInterfaces([builder.nodeInterfaceRef(), ...interfaces]);
  ref.implement({
    description,
    scope,
    fields: (t) => ({
      id: t.id({
        description: 'The global id of the object. It is opaque, and unique among all types.',
        column: 'id',
        write: writeBase64(`${name}:`, 'base64'),
        resolve: (row) => encodeGlobalId(name, row.id),
      }),
      databaseId: t.field({
        type: 'BigInt',
        description:
          'The integer id, unique within the type: the `id` of the REST API, where that has the object.',
        column: 'id',
        resolve: (row) => row.id,
      }),
      ...resourceFields(t, described),
      ...fields(t),
    }),
  });
  const load = (ctx: GraphContext, id: bigint) =>
    loadBatched<Row | null>(ctx, name, id, (ids) => getMany(ctx, ids));
  const type: NodeType<Row> = {
    name,
    scope,
    ref,
    load,
    field: (t, column, about) =>
      t.field({
        type: ref,
        nullable: true,
        description: about,
        scope,
        columns: [column],
        resolve(row, _args, ctx) {
          const id = Reflect.get(row, column) as bigint | null;
          return (id === null ? null : load(ctx, id)) as never;
        },
      }),
  };
  nodeTypes.set(name, type);
  return type;
}

/** Base64 of the type's name and the integer id. */
export function encodeGlobalId(typeName: string, id: bigint): string {
  return btoa(`${typeName}:${id}`);
}

/** Longer than any that encodeGlobalId gives. */
const MAX_ID_CHARS = 100;

/** What a global id says, or null when it is none of ours. */
function decodeGlobalId(globalId: string): { typeName: string; id: bigint } | null {
  if (globalId.length > MAX_ID_CHARS) return null;
  const text = Buffer.from(globalId, 'base64').toString('latin1');
  const [, typeName = '', digits = ''] = /^(\w+):(\d{1,19})$/.exec(text) ?? [];
  const id = digits === '' || BigInt(digits) > 2n ** 63n - 1n ? null : BigInt(digits);
  // Only the one spelling that encodeGlobalId gives is accepted.
  return id === null || encodeGlobalId(typeName, id) !== globalId ? null : { typeName, id };
}

/** @throws AppError `invalid` blaming `field` when the text is not the global id of such an object */
export function parseGlobalId(type: { readonly name: string }, globalId: string, field: string): bigint {
  const decoded = decodeGlobalId(globalId);
  if (decoded?.typeName !== type.name) throw invalid(field, `${field} must be the id of a ${type.name}.`);
  return decoded.id;
}

async function find(ctx: GraphContext, globalId: string): Promise<object | null> {
  const decoded = decodeGlobalId(globalId);
  const type = decoded === null ? undefined : nodeTypes.get(decoded.typeName);
  if (decoded === null || type === undefined) return null;
  const row = await type.load(ctx, decoded.id);
  if (row !== null) brandWithType(row, type.ref);
  return row;
}

builder.queryFields((t) => ({
  node: t.field({
    type: builder.nodeInterfaceRef(),
    nullable: true,
    description: 'The object with this global id, or null when there is none that the caller may see.',
    args: { id: t.arg.id({ required: true, description: 'A global id, as any object’s `id` gives it.' }) },
    resolve: (_root, { id }, ctx) => find(ctx, id),
  }),
  nodes: t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: true, items: true },
    description: `The objects with these global ids, in the ids’ order; null where there is none that the caller may see.`,
    args: {
      ids: t.arg.idList({ required: true, description: `At most ${MAX_PAGE_SIZE} global ids.` }),
    },
    rowsOf: 'ids',
    resolve: (_root, { ids }, ctx) => {
      if (ids.length > MAX_PAGE_SIZE) throw invalid('ids', `ids must be at most ${MAX_PAGE_SIZE}.`);
      return ids.map((id) => find(ctx, id));
    },
  }),
}));
