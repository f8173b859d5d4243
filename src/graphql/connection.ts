// Relay connections: defines their types, loads their pages in batches, and resolves their page info and counts.
import type { FieldMap, ObjectRef } from '@pothos/core';
import type { Scope } from '../auth/scopes.ts';
import { encodeCursor } from '../cursors.ts';
import type { ConnectionArgs, Page, PageRequest } from '../pagination.ts';
import type { SortValue } from '../resources/description/sorts.ts';
import { writeBase64 } from '../rows/base64.ts';
import type { Count, Probe, Projection, Reads } from '../services/reading/reads.ts';
import { builder, rowOf, type Types } from './builder.ts';
import { type GraphContext, loadBatched } from './context.ts';
import {
  type ListArgs,
  listArguments,
  pageArguments,
  parseListArgs,
  parseSelection,
  selectionKey,
} from './list-arguments.ts';
import { lookAhead, projectionKey } from './look-ahead.ts';
import type { NodeType } from './nodes.ts';
import { requireParent } from './unread-parents.ts';

type Row = { readonly id: bigint };
type ListReads<R> = Pick<Reads<R, Scope | null>, 'scope' | 'listMany' | 'countMany' | 'existMany'>;

/** A kind of list: its noun and its reads. Cursors contain the name of the noun's table. */
interface List<R extends Row> {
  /** Its name in the keys of loaders. */
  readonly name: string;
  readonly resource: Parameters<typeof listArguments>[0];
  readonly reads: ListReads<R>;
}

/** One parent's page of a list, and its arguments. */
interface Connection<R extends Row> {
  readonly list: List<R>;
  readonly parentId: bigint;
  readonly args: ListArgs;
  readonly page: Page<R>;
}

/** An object of a page: the row itself, when its id is enough to make the cursor, or the row with its cursor. */
type Edge<R extends Row> = R | RowWithCursor<R>;

/** One parent's page of a list that is known as a whole. */
interface KnownPage<R extends Row> {
  readonly edges: readonly RowWithCursor<R>[];
  readonly total: number;
  readonly info: Pick<KnownPageInfo, 'hasNextPage' | 'hasPreviousPage'>;
}

class KnownConnection<R extends Row> {
  readonly edges: readonly RowWithCursor<R>[];
  readonly total: number;
  readonly info: KnownPageInfo;

  constructor({ edges, total, info }: KnownPage<R>) {
    this.edges = edges;
    this.total = total;
    const [startCursor = null, endCursor = null] = [edges[0]?.cursor, edges.at(-1)?.cursor];
    this.info = new KnownPageInfo({ startCursor, endCursor, ...info });
  }
}

export class RowWithCursor<R extends Row> {
  readonly row: R;
  readonly cursor: string;

  constructor(row: R, cursor: string) {
    this.row = row;
    this.cursor = cursor;
  }
}

/** In a projection: the selection includes `pageInfo`, so one row more is read to find out whether more rows follow. */
const HAS_MORE = 'hasMore';

/** The cost of a count in the cost analysis, in rows: the same as a page. store.ts limits the concurrency of counts. */
const COUNT_COST = 20;

/** Returns the id of the list's parent, and perhaps a filter; null if there is no list. */
type ListOf<Parent> = (
  parent: Parent,
  ctx: GraphContext,
) => { parentId: bigint; savedFilterId?: string } | null;

export interface ConnectionType<R extends Row> {
  /** An object with its cursor. A bare row is an edge of a list that is ordered by id. */
  readonly edge: ObjectRef<Types, Edge<R>>;
  /** The scope to read the list. */
  readonly scope: ListReads<R>['scope'];
  /**
   * Defines the parent's field for its list of these objects. It is non-null if whoever may read the parent may read the list.
   * @param above the parent's type
   * @param list replaces the list below the noun's parent
   */
  field<Parent extends Row>(
    t: PothosSchemaTypes.ObjectFieldBuilder<Types, Parent>,
    above: Pick<NodeType<unknown>, 'scope'>,
    description: string,
    list?: List<R>,
  ): FieldMap[string];
  /** Like `field`, for a list in an order of its own that is known as a whole. @param pageOf reads the objects of one page */
  knownField<Parent extends object>(
    t: object,
    above: Pick<NodeType<unknown>, 'scope'>,
    options: { readonly description: string; readonly columns: readonly (keyof Parent & string)[] },
    pageOf: (
      parent: Parent,
      args: ConnectionArgs,
      ctx: GraphContext,
      projection: Projection,
    ) => Promise<KnownPage<R>>,
  ): FieldMap[string];
  /** Like `field`, for a list whose parent or filter depends on the object. @param of returns null if there is no list */
  fieldOf<Parent extends object>(
    t: object,
    options: {
      readonly description: string;
      readonly columns?: readonly (keyof Parent & string)[];
      readonly rows?: number;
      /** There always is a list, and it needs no scope. */
      readonly always?: boolean;
    },
    of: ListOf<Parent>,
  ): FieldMap[string];
}

/** The page info of a list that is known as a whole. */
export class KnownPageInfo {
  readonly startCursor: string | null;
  readonly endCursor: string | null;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;

  constructor(known: Pick<KnownPageInfo, 'startCursor' | 'endCursor' | 'hasNextPage' | 'hasPreviousPage'>) {
    this.startCursor = known.startCursor;
    this.endCursor = known.endCursor;
    this.hasNextPage = known.hasNextPage;
    this.hasPreviousPage = known.hasPreviousPage;
  }
}

export const PageInfo = builder.objectRef<Connection<Row> | KnownPageInfo>('PageInfo').implement({
  description: 'The start and end of a page, and whether more objects exist.',
  fields: (t) => ({
    startCursor: t.string({
      nullable: true,
      description: 'The cursor of the first object; null on an empty page.',
      resolve: (of) => (of instanceof KnownPageInfo ? of.startCursor : cursorOf(of, of.page.rows[0])),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'The cursor of the last object; null on an empty page.',
      resolve: (of) => (of instanceof KnownPageInfo ? of.endCursor : cursorOf(of, of.page.rows.at(-1))),
    }),
    hasNextPage: t.boolean({
      description: 'Whether more objects follow this page.',
      resolve(connection, _args, ctx) {
        if (connection instanceof KnownPageInfo) return connection.hasNextPage;
        const request = requestOf(connection);
        if (!request.backward && connection.page.more) return true;
        return request.before === null ? false : existsBeyond(ctx, connection, request, 'after');
      },
    }),
    hasPreviousPage: t.boolean({
      description: 'Whether objects precede this page.',
      resolve(connection, _args, ctx) {
        if (connection instanceof KnownPageInfo) return connection.hasPreviousPage;
        const request = requestOf(connection);
        if (request.backward && connection.page.more) return true;
        return request.after === null ? false : existsBeyond(ctx, connection, request, 'before');
      },
    }),
  }),
});

/** Defines `XConnection` and `XEdge` for a type of node. The noun's description determines how its lists can be filtered and ordered. */
export function defineConnection<R extends Row>(
  node: NodeType<R>,
  resource: List<R>['resource'],
  reads: ListReads<R>,
): ConnectionType<R> {
  const list: List<R> = { name: resource.table, resource, reads };
  const kind = resource.table;
  const edge = builder.objectRef<Edge<R>>(`${node.name}Edge`).implement({
    description: `One ${node.name} of a list.`,
    fields: (t) => ({
      cursor: t.string({
        description: 'The position of the object, for `after` and `before`.',
        // The fast path writes this for bare rows; for a RowWithCursor it calls the resolver.
        column: 'id',
        write: writeBase64(`${kind}:`, 'base64url'),
        resolve: (edge) => (edge instanceof RowWithCursor ? edge.cursor : encodeCursor(kind, edge.id)),
      }),
      node: t.field({
        type: node.ref,
        description: 'The object.',
        sameRows: true,
        resolve: (edge) => rowOf<R>(edge instanceof RowWithCursor ? edge.row : edge),
      }),
    }),
  });
  const ref = builder.objectRef<Connection<R> | KnownConnection<R>>(`${node.name}Connection`).implement({
    description: `A page of a list of ${node.name} objects.`,
    ...(reads.scope !== null && { scope: reads.scope }),
    isConnection: true,
    fields: (t) => ({
      edges: t.field({
        type: [edge],
        description: 'The objects with their cursors.',
        sameRows: true,
        resolve: (of) => (of instanceof KnownConnection ? of.edges : edgesOf(of)),
      }),
      nodes: t.field({
        type: [node.ref],
        description: 'The objects.',
        sameRows: true,
        resolve: (of) => (of instanceof KnownConnection ? of.edges.map(({ row }) => row) : of.page.rows),
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'The start and end of the page.',
        columns: ['id', HAS_MORE],
        resolve: (of) => (of instanceof KnownConnection ? of.info : of),
      }),
      totalCount: t.int({
        description: 'The length of the complete list, counted if it is selected.',
        columns: ['id'],
        cost: COUNT_COST,
        resolve: async (of, _args, ctx) =>
          of instanceof KnownConnection ? of.total : (await countOf(ctx, of)).count,
      }),
      totalCountIsExact: t.boolean({
        description: 'Whether totalCount is exact; otherwise it is a lower bound.',
        columns: ['id'],
        cost: COUNT_COST,
        resolve: async (of, _args, ctx) => of instanceof KnownConnection || (await countOf(ctx, of)).isExact,
      }),
    }),
  });
  const { refinedBy: _, ...unrefined } = resource;
  const common = { type: ref, scope: reads.scope } as const;
  return {
    edge,
    scope: reads.scope,
    field(t, above, description, of = list) {
      const always = above.scope !== null && above.scope === reads.scope;
      return t.field({
        ...common,
        // Pothos cannot infer whether a boolean variable is true.
        nullable: !always as true,
        description,
        args: listArguments(of.resource),
        columns: ['id'],
        ...(of === list && { sharesReads: true }),
        resolve: (parent, args, ctx, info) =>
          rowOf<Connection<R>>(
            requireParent(ctx, parent, load(ctx, of, parent.id, args, lookAhead(info), always)),
          ),
      });
    },
    knownField<Parent extends object>(
      t: object,
      above: Pick<NodeType<unknown>, 'scope'>,
      options: { readonly description: string; readonly columns: readonly (keyof Parent & string)[] },
      pageOf: (
        parent: Parent,
        args: ConnectionArgs,
        ctx: GraphContext,
        projection: Projection,
      ) => Promise<KnownPage<R>>,
    ) {
      return (t as PothosSchemaTypes.ObjectFieldBuilder<Types, Parent>).field({
        ...common,
        ...(options as object),
        nullable: (above.scope === null || above.scope !== reads.scope) as true,
        args: pageArguments,
        resolve: async (parent, args, ctx, info) =>
          rowOf<KnownConnection<R>>(new KnownConnection(await pageOf(parent, args, ctx, lookAhead(info)))),
      });
    },
    fieldOf: <Parent extends object>(
      t: object,
      { always = false, ...options }: Parameters<ConnectionType<R>['fieldOf']>[1],
      of: ListOf<Parent>,
    ) =>
      (t as PothosSchemaTypes.ObjectFieldBuilder<Types, Parent>).field({
        ...common,
        ...(options as object),
        nullable: !always as true,
        args: listArguments(unrefined),
        resolve(parent, args, ctx, info) {
          const found = of(parent, ctx);
          return rowOf<Connection<R>>(
            found && load(ctx, list, found.parentId, { ...args, ...found }, lookAhead(info)),
          );
        },
      }),
  };
}

/** The number of objects in one parent's list. One statement counts the lists of all parents. */
function countOf(ctx: GraphContext, { list, parentId, args }: Connection<Row>): Promise<Count> {
  const { name, resource, reads } = list;
  const key = `${name}.count ${selectionKey(args)}`;
  return loadBatched(ctx, key, parentId, async (ids) =>
    reads.countMany(ctx, ids, parseSelection(resource, args)),
  );
}

/** @param isKnown the parent was read: if it is gone now, its list is empty. Otherwise the list of a parent that is not there is null */
async function load<R extends Row>(
  ctx: GraphContext,
  list: List<R>,
  parentId: bigint,
  args: ListArgs,
  projection: Projection,
  isKnown = false,
): Promise<Connection<R> | null> {
  const { first, last, after, before } = args;
  const request = [first, last, after, before, selectionKey(args), projectionKey(projection)];
  const key = `${list.name}.list ${JSON.stringify(request)}`;
  const page = await loadBatched(ctx, key, parentId, async (ids) => {
    const request = parseListArgs(list.resource, args);
    const rowsOnly = projection !== null && !projection.includes(HAS_MORE);
    return list.reads.listMany(ctx, ids, { ...request, rowsOnly }, projection);
  });
  if (page === null) return isKnown ? { list, parentId, args, page: NO_ROWS } : null;
  return { list, parentId, args, page };
}

const NO_ROWS = { rows: [], more: false } as const;

function requestOf({ list, args }: Connection<Row>): PageRequest {
  return parseListArgs(list.resource, args);
}

/** Whether the list has objects at or beyond one end of the page, in the given direction of the sort order. */
function existsBeyond(
  ctx: GraphContext,
  { list, parentId, args }: Connection<Row>,
  { order, sort, filter, criteria, refinedBy, ...request }: PageRequest,
  direction: 'before' | 'after',
): Promise<boolean> {
  const [id, value] =
    direction === 'after' ? [request.before, request.beforeValue] : [request.after, request.afterValue];
  const above = (direction === 'after') === (order === 'asc');
  const selection = {
    ...(sort && { sort }),
    ...(filter && { filter }),
    ...(criteria && { criteria }),
    ...(refinedBy && { refinedBy }),
  };
  const probe: Probe = { ...selection, id: id ?? 0n, value, side: above ? 'at_or_above' : 'at_or_below' };
  const key = `${list.name}.exist ${probe.side} ${id} ${JSON.stringify(value)} ${selectionKey(args)}`;
  return loadBatched(ctx, key, parentId, (ids) => list.reads.existMany(ctx, ids, probe));
}

function edgesOf<R extends Row>(connection: Connection<R>): readonly Edge<R>[] {
  const { rows, sort } = connection.page;
  return sort === undefined ? rows : rows.map((row) => new RowWithCursor(row, cursorAt(connection, row)));
}

function cursorOf(connection: Connection<Row>, row: Row | undefined): string | null {
  return row === undefined ? null : cursorAt(connection, row);
}

/** The rows of a list that is not ordered by id have the property by which it is (pages.ts). */
function cursorAt({ list, page: { sort } }: Connection<Row>, row: Row): string {
  const kind = list.resource.table;
  if (sort === undefined || sort === 'id') return encodeCursor(kind, row.id);
  return encodeCursor(
    kind,
    row.id,
    sort,
    (row as Row & { readonly [Property in typeof sort]?: SortValue })[sort],
  );
}
