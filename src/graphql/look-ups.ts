// Root fields that find one object by exactly one of its keys, such as `contact(id | databaseId | publicId)`. Every node type has one.
import type { ObjectRef } from '@pothos/core';
import type { Scope } from '../auth/scopes.ts';
import { invalid, notFound } from '../errors.ts';
import { uncapitalize } from '../resources/resource.ts';
import { type PublicIdTable, parsePublicId } from '../services/reading/refs.ts';
import { builder, rowOf, type Types } from './builder.ts';
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
  /** An additional key, and the function that finds an object by it. `find` throws AppError `not_found`. */
  readonly by?: {
    readonly key: string;
    readonly description: string;
    readonly find: (ctx: GraphContext, value: string) => Promise<Row>;
  };
}

interface LookedUp<Row> {
  readonly name: string;
  readonly ref: ObjectRef<Types, Row>;
  readonly scope: Scope | null;
  readonly load: Load<Row>;
}

/** The arguments of a look-up. */
interface LookUpArguments {
  readonly id?: string | null | undefined;
  readonly databaseId?: bigint | null | undefined;
  readonly publicId?: string | null | undefined;
}

/** Defines the root field that finds one object of a type. */
export function defineLookUp<Row>(
  { name, ref, scope, load }: LookedUp<Row>,
  { title, table }: { readonly title: string; readonly table: PublicIdTable },
  { note, loadFor = (ctx, id, _info, load) => load(ctx, id), by }: LookUpOptions<Row>,
): void {
  const keys = ['id', 'databaseId', 'publicId', ...(by === undefined ? [] : [by.key])] as const;

  function idOf({ id, databaseId, publicId }: LookUpArguments): bigint {
    if (id != null) return parseGlobalId({ name }, id, 'id');
    return databaseId ?? parsePublicId(title, table, publicId ?? '');
  }

  async function find(given: LookUpArguments, ctx: GraphContext, info: ResolveInfo): Promise<Row> {
    requireOneOf(given, keys);
    const other = by && (given as Readonly<Record<string, unknown>>)[by.key];
    if (by !== undefined && other != null) return by.find(ctx, String(other));
    const row = await loadFor(ctx, idOf(given), info, load);
    if (row === null) throw notFound(title);
    return row;
  }

  builder.queryField(uncapitalize(name), (t) =>
    t.field({
      type: ref,
      nullable: true,
      description: `One ${name}. Send exactly one of the arguments. If the object does not exist or the caller has no access to it, the field is null with a NOT_FOUND error.${note === undefined ? '' : ` ${note}`}`,
      ...(scope !== null && { scope }),
      args: {
        id: t.arg.id({ description: `The global id of the ${name}.` }),
        databaseId: t.arg({ type: 'BigInt', description: `The integer id of the ${name}.` }),
        publicId: t.arg.string({ description: `The short public id of the ${name}.` }),
        ...(by !== undefined && { [by.key]: t.arg.string({ description: by.description }) }),
      },
      resolve: (_root, given, ctx, info) => rowOf<Row>(find(given, ctx, info)),
    }),
  );
}

/** @throws AppError `invalid` unless exactly one of the arguments was given */
function requireOneOf(args: object, names: readonly [string, ...string[]]): void {
  const given = names.filter((name) => (args as Readonly<Record<string, unknown>>)[name] != null);
  if (given.length !== 1)
    throw invalid(names[0], { code: 'not_allowed', message: `Give exactly one of ${names.join(', ')}.` });
}
