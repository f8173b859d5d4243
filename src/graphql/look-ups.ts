// Root fields that find one object by one of its keys, such as `contact(by: { databaseId: 224 })`. Every node type has one, except those
// whose objects are parts of others.
import type { InputFieldMap, InputObjectRef, ObjectRef } from '@pothos/core';
import type { Scope } from '../auth/scopes.ts';
import { uncapitalize } from '../resources/description/names.ts';
import { idOfPublicId, type PublicIdTable } from '../services/reading/refs.ts';
import { builder, defineOnce, rowOf, type Types } from './builder.ts';
import type { GraphContext } from './context.ts';
import { parseGlobalId } from './global-ids.ts';
import type { ResolveInfo } from './look-ahead.ts';

/** Loads one object by its integer id; null when it does not exist or the caller has no access to it. */
type Load<Row> = (ctx: GraphContext, id: bigint) => Promise<Row | null>;

/** Deviations of one type from the usual look-up. */
export interface LookUpOptions<Row> {
  /** Added to its description. */
  readonly note?: string;
  /** Replaces `load`, which loads the whole object, to load only what the selection needs. */
  loadFor?(ctx: GraphContext, id: bigint, info: ResolveInfo, load: Load<Row>): Promise<Row | null>;
  /** An additional key, and the function that finds an object by it. */
  readonly by?: {
    readonly key: string;
    readonly description: string;
    readonly find: (ctx: GraphContext, value: string) => Promise<Row | null>;
  };
}

interface LookedUp<Row> {
  readonly name: string;
  readonly ref: ObjectRef<Types, Row>;
  readonly scope: Scope | null;
  readonly load: Load<Row>;
}

/** The key of an object: one member. */
interface Key {
  readonly id?: string | null | undefined;
  readonly databaseId?: bigint | null | undefined;
  readonly publicId?: string | null | undefined;
}

/** The input type of keys. Types with the same keys share one. */
function keyType(
  name: string,
  by?: { readonly key: string; readonly description: string },
): InputObjectRef<Types, Key> {
  const type = by === undefined ? 'ObjectKey' : `${name}Key`;
  return defineOnce(type, () =>
    builder.inputType(type, {
      description: 'One of the keys of an object.',
      isOneOf: true,
      fields: (t): InputFieldMap => ({
        id: t.id({ description: 'The global id.' }),
        databaseId: t.field({ type: 'BigInt', description: 'The integer id, which REST calls `id`.' }),
        publicId: t.string({ description: 'The public id, the short text in addresses.' }),
        ...(by && { [by.key]: t.string({ description: by.description }) }),
      }),
    }),
  ) as InputObjectRef<Types, Key>;
}

/** Defines the root field that finds one object of a type. */
export function defineLookUp<Row>(
  { name, ref, scope, load }: LookedUp<Row>,
  { table }: { readonly table: PublicIdTable },
  { note, loadFor = (ctx, id, _info, load) => load(ctx, id), by }: LookUpOptions<Row>,
): void {
  function idOf({ id, databaseId, publicId }: Key): bigint | null {
    if (id != null) return parseGlobalId({ name }, id, 'by.id');
    return databaseId ?? idOfPublicId(table, publicId ?? '');
  }

  async function find(key: Key, ctx: GraphContext, info: ResolveInfo): Promise<Row | null> {
    const other = by && (key as Readonly<Record<string, unknown>>)[by.key];
    if (by !== undefined && other != null) return by.find(ctx, String(other));
    const id = idOf(key);
    return id === null ? null : loadFor(ctx, id, info, load);
  }

  builder.queryField(uncapitalize(name), (t) =>
    t.field({
      type: ref,
      nullable: true,
      description: `One ${name}; null if it does not exist or the caller has no access to it.${note === undefined ? '' : ` ${note}`}`,
      ...(scope !== null && { scope }),
      args: {
        by: t.arg({ type: keyType(name, by), required: true, description: 'The key of the object.' }),
      },
      resolve: (_root, { by: key }, ctx, info) => rowOf<Row>(find(key as Key, ctx, info)),
    }),
  );
}
