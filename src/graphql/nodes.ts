// Global ids, the types that have them, and the two fields that find objects by them (Relay's object identification).
import { brandWithType, type InterfaceParam, type ObjectFieldsShape, type ObjectRef } from '@pothos/core';
import type { Scope } from '../auth/scopes.ts';
import { invalid } from '../errors.ts';
import { MAX_PAGE_SIZE } from '../pagination.ts';
import { builder, type Types } from './builder.ts';
import { shows, writeBase64 } from './column-fields.ts';
import { type GraphContext, loadBatched } from './context.ts';

interface NodeRow {
  readonly id: bigint;
  readonly publicId: string;
}

/** A type whose objects have a global id. */
export interface NodeType<Row> {
  readonly name: string;
  /** What a caller needs to read objects of this type. */
  readonly scope: Scope;
  readonly ref: ObjectRef<Types, Row>;
  /** One object by its integer id, loaded together with the others asked for; null when there is none to see. */
  load(ctx: GraphContext, id: bigint): Promise<Row | null>;
}

interface NodeOptions<Row> {
  readonly description: string;
  /** What a caller needs to read objects of this type. */
  readonly scope: Scope;
  readonly loadMany: (ctx: GraphContext, ids: readonly bigint[]) => Promise<readonly (Row | null)[]>;
  readonly fields: ObjectFieldsShape<Types, Row>;
  /** Interfaces besides Node. */
  readonly interfaces?: readonly InterfaceParam<Types>[];
}

const nodeTypes = new Map<string, NodeType<object>>();

/** Defines an object type with `id`, `databaseId` and `publicId`. */
export function defineNode<Row extends NodeRow>(name: string, options: NodeOptions<Row>): NodeType<Row> {
  const { description, scope, loadMany, fields, interfaces = [] } = options;
  const ref = builder.objectRef<Row>(name);
  ref.addInterfaces([builder.nodeInterfaceRef(), ...interfaces]);
  ref.implement({
    description,
    extensions: { scope },
    fields: (t) => ({
      id: t.id({
        description: 'The global id of the object. It is opaque, and unique among all types.',
        extensions: shows('id', writeBase64(`${name}:`, 'base64')),
        resolve: (row) => encodeGlobalId(name, row.id),
      }),
      databaseId: t.field({
        type: 'BigInt',
        description:
          'The integer id, unique within the type: the `id` of the REST API, where that has the object.',
        extensions: shows('id'),
        resolve: (row) => row.id,
      }),
      publicId: t.string({
        description:
          'The short public id: six or more letters. The REST API, where it has the object, accepts it in place of the integer id.',
        extensions: shows('publicId'),
        resolve: (row) => row.publicId,
      }),
      ...fields(t),
    }),
  });
  const type: NodeType<Row> = {
    name,
    scope,
    ref,
    load: (ctx, id) => loadBatched(ctx, name, id, (ids) => loadMany(ctx, ids)),
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
    extensions: { rowsOf: 'ids' },
    resolve: (_root, { ids }, ctx) => {
      if (ids.length > MAX_PAGE_SIZE) throw invalid('ids', `ids must be at most ${MAX_PAGE_SIZE}.`);
      return ids.map((id) => find(ctx, id));
    },
  }),
}));
