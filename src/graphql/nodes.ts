// Relay's object identification: the types whose objects have global ids (global-ids.ts), and the root fields `node` and `nodes`. The root
// fields for objects of one type are in look-ups.ts.
import { brandWithType, type FieldMap, type InterfaceParam, type ObjectRef } from '@pothos/core';
import type { Scope } from '../auth/scopes.ts';
import { invalid, mustBeId, notFound } from '../errors.ts';
import { MAX_PAGE_SIZE } from '../pagination.ts';
import { addressesOf } from '../resources/addresses.ts';
import { ownerKeysOf } from '../resources/description/ancestors.ts';
import type { Field, Fields } from '../resources/description/fields.ts';
import { graphqlTypeNameOf } from '../resources/description/names.ts';
import type { Kinds, Resource } from '../resources/description/resource.ts';
import { writeBase64 } from '../rows/base64.ts';
import { joinedColumnName, layoutOf } from '../rows/columns.ts';
import type { Projection } from '../services/reading/reads.ts';
import type { PublicIdTable } from '../services/reading/refs.ts';
import { addressFields } from './addresses.ts';
import { builder, GLOBAL_ID, rowOf, type Types } from './builder.ts';
import { nameSets } from './closed-sets.ts';
import { type GraphContext, loadBatched } from './context.ts';
import { decodeGlobalId, decodeOwnId, encodeGlobalId, encodeOwnId } from './global-ids.ts';
import { lookAhead, projectionKey } from './look-ahead.ts';
import { defineLookUp, type LookUpOptions } from './look-ups.ts';
import { resourceFields } from './resource-fields.ts';
import { defineScalarsOf } from './scalars.ts';

interface NodeRow {
  readonly id: bigint;
}

type FieldBuilder<Row> = PothosSchemaTypes.ObjectFieldBuilder<Types, Row>;

/** The properties of a row that hold the id of another row. */
type Reference<Parent> = {
  [Column in keyof Parent]: Parent[Column] extends bigint | null ? Column : never;
}[keyof Parent] &
  string;

/** A type whose objects have a global id. */
export interface NodeType<Row> {
  readonly name: string;
  /** The name of such an object in sentences, such as `Contact`: services say by it what they do not find. */
  readonly title: string;
  /** The scope that a caller needs to read objects of this type; null: none. */
  readonly scope: Scope | null;
  /** The object type; for a noun with kinds, their interface. */
  readonly ref: ObjectRef<Types, Row>;
  /** The object type of a row. */
  typeOf(row: Row): ObjectRef<Types, Row>;
  /** Adds a field; for a noun with kinds, to each of them. */
  addField(name: string, define: (t: FieldBuilder<Row>) => FieldMap[string]): void;
  /**
   * Loads one object by its integer id, batched; null when it does not exist or the caller has no access to it.
   * @param projection the columns to read; absent: all
   */
  load(ctx: GraphContext, id: bigint, projection?: Projection): Promise<Row | null>;
  /**
   * Defines a field of another type that returns the object whose integer id is in a column.
   */
  field<Parent extends object>(
    t: FieldBuilder<Parent>,
    column: Reference<Parent>,
    description: string,
    options?: RelationOptions,
  ): FieldMap[string];
}

interface RelationOptions {
  /** Whether the object may be joined to the one that refers to it. */
  readonly isJoined?: boolean;
  /** Whoever may read the object that refers to it may read it too, and nothing deletes it: the field is non-null. */
  readonly always?: boolean;
}

interface NodeOptions<Row> {
  /** The scope that a caller needs to read objects of this type; null: none. */
  readonly scope: Scope | null;
  /** The scope of the described fields other than these; absent: that of the objects. */
  readonly others?: { readonly than: readonly string[]; readonly scope: Scope };
  /** Whether the objects can be joined to rows that refer to them. */
  readonly isJoinable?: boolean;
  /** An Error in the place of a row refuses only that row. */
  readonly getMany: (
    ctx: GraphContext,
    ids: readonly bigint[],
    projection: Projection,
  ) => Promise<readonly (Row | Error | null)[]>;
  /** Fields that are not in the resource's description, such as lists and computed values. */
  readonly fields?: (t: FieldBuilder<Row>) => FieldMap;
  /** Further fields made from the description: references to other objects. */
  readonly fieldsBeside?: (t: FieldBuilder<Row>, fields: Fields) => FieldMap;
  /** Interfaces besides Node. */
  readonly interfaces?: readonly InterfaceParam<Types>[];
  /** Deviations of the root field that finds one object. */
  readonly lookUp?: LookUpOptions<Row>;
}

const nodeTypes = new Map<string, NodeType<object>>();

/** The part of a resource from which its node type is made. */
interface Described
  extends Pick<
    Resource,
    | 'type'
    | 'graphqlName'
    | 'title'
    | 'description'
    | 'fields'
    | 'kinds'
    | 'hasLookUp'
    | 'parent'
    | 'parentKey'
  > {
  readonly table: PublicIdTable;
}

/**
 * Defines the object type of a resource, with `id`, `databaseId`, the fields of its description and `fields`, and the root field that
 * finds one object by its keys, unless it is part of another one.
 */
export function defineNode<Row extends NodeRow>(
  resource: Described,
  {
    scope,
    others,
    isJoinable = false,
    getMany,
    fields = () => ({}),
    fieldsBeside = () => ({}),
    interfaces = [],
    lookUp = {},
  }: NodeOptions<Row>,
): NodeType<Row> {
  const name = graphqlTypeNameOf(resource);
  const { title, description, fields: described, kinds } = resource;
  defineScalarsOf(described);
  nameSets(name, described);
  const scopeFor = (property: string) =>
    others === undefined || others.than.includes(property) ? null : others.scope;
  const fieldsOf = (t: FieldBuilder<Row>, kinds?: readonly string[]): FieldMap => {
    const shown = fieldsOfKinds(resource, kinds);
    return { ...resourceFields(t, described, shown, scopeFor), ...fieldsBeside(t, shown) };
  };
  const options = {
    description,
    ...(scope !== null && { scope }),
    fields: (t: FieldBuilder<Row>) => ({
      id: t.id({
        description: GLOBAL_ID,
        column: 'id',
        write: writeBase64(`${name}:`, 'base64'),
        resolve: (row) => encodeGlobalId(name, row.id),
      }),
      databaseId: t.field({
        type: 'BigInt',
        description: 'The integer id: the `id` of REST.',
        column: 'id',
        resolve: (row) => row.id,
      }),
      ...fieldsOf(t),
      ...addressFields(t, resource),
      ...fields(t),
    }),
  };
  const all = [builder.nodeInterfaceRef(), ...interfaces];
  const defined =
    kinds === undefined ? defineOne(name, all, options) : defineKinds(name, all, options, kinds, fieldsOf);
  const { ref } = defined;
  const load = (ctx: GraphContext, id: bigint, projection: Projection = null) =>
    loadBatched<Row | null>(ctx, `${name} ${projectionKey(projection)}`, id, (ids) =>
      getMany(ctx, ids, projection),
    );
  const type: NodeType<Row> = {
    name,
    title: resource.title,
    scope,
    ...defined,
    load,
    field(t, column, about, { isJoined = false, always = false } = {}) {
      const joined = joinedColumnName(column);
      return t.field({
        type: ref,
        // Pothos cannot infer whether a boolean variable is true.
        nullable: !always as true,
        description: about,
        ...(scope !== null && { scope }),
        columns: [column],
        ...(isJoined && isJoinable && { joins: column }),
        resolve(row, _args, ctx, info) {
          const values = row as Readonly<Record<string, unknown>>;
          if (layoutOf(row)?.has(joined)) return rowOf<Row>(values[joined] as Row | null);
          const id = values[column] as bigint | null;
          const found = id === null ? null : load(ctx, id, lookAhead(info));
          return rowOf<Row>(always ? requireFound(title, found) : found);
        },
      });
    },
  };
  nodeTypes.set(name, type as object as NodeType<object>);
  if (resource.hasLookUp !== false) defineLookUp(type, resource, lookUp);
  return type;
}

/** @throws AppError `not_found` for null */
async function requireFound<Row>(title: string, found: Promise<Row | null> | null): Promise<Row> {
  const row = await found;
  if (row === null) throw notFound(title);
  return row;
}

interface TypeOptions<Row> {
  readonly description: string;
  readonly scope?: Scope;
  readonly fields: (t: FieldBuilder<Row>) => FieldMap;
}

type Defined<Row> = Pick<NodeType<Row>, 'ref' | 'typeOf' | 'addField'>;

function defineOne<Row>(
  name: string,
  interfaces: InterfaceParam<Types>[],
  options: TypeOptions<Row>,
): Defined<Row> {
  const ref = builder.objectRef<Row>(name);
  ref.addInterfaces(interfaces);
  ref.implement(options);
  return {
    ref,
    typeOf: () => ref,
    addField: (name, define) => builder.objectField(ref, name, define as never),
  };
}

/** Defines an interface with the fields that all kinds of a noun share, and a type for each kind with its own fields. */
function defineKinds<Row>(
  name: string,
  interfaces: InterfaceParam<Types>[],
  options: TypeOptions<Row>,
  { by, types, shared }: Kinds,
  fieldsOf: (t: FieldBuilder<Row>, kinds: readonly string[]) => FieldMap,
): Defined<Row> {
  const kindOf = (row: Row) => String((row as Readonly<Record<string, unknown>>)[by]);
  const define = (type: string, of: TypeOptions<Row>, more: InterfaceParam<Types>[]) => {
    const ref = builder.interfaceRef<Row>(type);
    ref.addInterfaces([...interfaces, ...more]);
    ref.implement({ ...of, kindBy: by, resolveType: (row: Row) => types[kindOf(row)]?.type } as never);
    return ref;
  };
  const above = define(name, options, []);
  const some =
    shared &&
    define(shared.type, { ...options, ...shared, fields: (t) => fieldsOf(t, shared.kinds) }, [above]);
  const refs = new Map<string, ObjectRef<Types, Row>>();
  for (const [kind, { type, description }] of Object.entries(types)) {
    const isSome = some !== undefined && shared?.kinds.includes(kind) === true;
    const { ref } = defineOne<Row>(type, [...interfaces, above, ...(isSome ? [some] : [])], {
      ...options,
      description,
      fields: (t) => fieldsOf(t, [kind]),
    });
    refs.set(kind, ref);
  }
  const typeOf = (row: Row) => {
    const ref = refs.get(kindOf(row));
    if (ref === undefined) throw new TypeError(`${name} has no kind ${kindOf(row)}`);
    return ref;
  };
  return {
    ref: above as unknown as ObjectRef<Types, Row>,
    typeOf,
    addField: (name, define) => builder.interfaceField(above, name, define as never),
  };
}

/**
 * The fields that only objects of these kinds have; without kinds, the fields of all. Of one kind, without those of the interface that it
 * shares. Without the ids of what they belong to and the parts of addresses, which have other fields.
 */
function fieldsOfKinds(resource: Described, kinds?: readonly string[]): Fields {
  const shared = resource.kinds?.shared?.kinds ?? [];
  const isOf = (only: readonly string[], all: readonly string[]) =>
    all.length > 0 && all.every((kind) => only.includes(kind));
  const isShown = (only: readonly string[] | undefined) => {
    if (kinds === undefined || only === undefined) return kinds === only;
    return isOf(only, kinds) && (kinds === shared || !isOf(only, shared));
  };
  const elsewhere = new Set([
    ...ownerKeysOf(resource).map(([property]) => property),
    ...[...addressesOf(resource.fields).values()].flatMap(({ parts }) => Object.values(parts)),
  ]);
  return Object.fromEntries(
    Object.entries<Field>(resource.fields).filter(
      ([property, { only }]) => !elsewhere.has(property) && isShown(only),
    ),
  );
}

interface OwnNodeOptions<Row> {
  readonly description: string;
  /** What tells one object from another, in the form of the global id. */
  readonly idOf: (row: Row) => string;
  /** The object with this id; null if the caller may not fetch it. A new value at each call: the type is noted on it. */
  readonly find: (ctx: GraphContext, id: string) => Promise<Row | null> | Row | null;
  readonly fields: (t: FieldBuilder<Row>) => FieldMap;
}

/** By type name: finds an object of the type by its id. */
const ownNodes = new Map<string, (ctx: GraphContext, id: string) => Promise<object | null>>();

/** Defines a type whose objects a text identifies, and no integer: `id` and `fields`. */
export function defineOwnNode<Row extends object>(
  name: string,
  { description, idOf, find, fields }: OwnNodeOptions<Row>,
): ObjectRef<Types, Row> {
  const ref = builder.objectRef<Row>(name);
  const globalIdOf = (row: Row) => encodeOwnId(name, idOf(row));
  ref.addInterfaces([builder.nodeInterfaceRef()]);
  ref.implement({
    description,
    isPart: true,
    fields: (t) => ({ id: t.id({ description: GLOBAL_ID, resolve: globalIdOf }), ...fields(t) }),
  });
  ownNodes.set(name, async (ctx, id) => {
    const row = await find(ctx, id);
    if (row === null || idOf(row) !== id) return null;
    brandWithType(row, ref);
    return row;
  });
  return ref;
}

/** The object of a type of node; null if it does not exist or the caller has no access to it, and for an unknown type. */
export async function findNode(ctx: GraphContext, typeName: string, id: bigint): Promise<object | null> {
  const type = nodeTypes.get(typeName);
  const row = type === undefined ? null : await type.load(ctx, id);
  if (type !== undefined && row !== null) brandWithType(row, type.typeOf(row));
  return row;
}

/** @throws AppError `invalid` for `field` when no type has such ids */
async function findByGlobalId(ctx: GraphContext, globalId: string, field: string): Promise<object | null> {
  const decoded = decodeGlobalId(globalId);
  return decoded !== null && nodeTypes.has(decoded.typeName)
    ? findNode(ctx, decoded.typeName, decoded.id)
    : findOwn(ctx, globalId, field);
}

async function findOwn(ctx: GraphContext, globalId: string, field: string): Promise<object | null> {
  const decoded = decodeOwnId(globalId);
  const find = ownNodes.get(decoded?.typeName ?? '');
  if (decoded === null || find === undefined) throw invalid(field, mustBeId('the global id of an object'));
  return find(ctx, decoded.id);
}

builder.queryFields((t) => ({
  node: t.field({
    type: builder.nodeInterfaceRef(),
    nullable: true,
    description:
      'The object with this global id; null if it does not exist or the caller has no access to it.',
    args: { id: t.arg.id({ required: true, description: 'A global id: the `id` of any object.' }) },
    resolve: (_root, { id }, ctx) => findByGlobalId(ctx, id, 'id'),
  }),
  nodes: t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: true, items: true },
    description: `The objects with these global ids, in the same order; null for an object that does not exist or that the caller has no access to.`,
    args: {
      ids: t.arg.idList({ required: true, description: `At most ${MAX_PAGE_SIZE} global ids.` }),
    },
    rowsOf: 'ids',
    resolve: (_root, { ids }, ctx) => {
      if (ids.length > MAX_PAGE_SIZE)
        throw invalid('ids', { code: 'too_many', message: `can have at most ${MAX_PAGE_SIZE} ids` });
      return ids.map((id) => findByGlobalId(ctx, id, 'ids'));
    },
  }),
}));
