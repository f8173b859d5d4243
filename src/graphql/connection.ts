// Relay connections: defines their types, loads their pages in batches, and resolves their page info and counts.
import type { FieldMap, ObjectRef } from '@pothos/core';
import {
  type ConnectionArgs,
  DEFAULT_PAGE_SIZE,
  encodeCursor,
  MAX_PAGE_SIZE,
  type Page,
  type PageRequest,
  parseConnectionArgs,
} from '../pagination.ts';
import type { Resource } from '../resources/resource.ts';
import { writeBase64 } from '../rows/base64.ts';
import { type Count, MAX_EXACT_COUNT, type Probe, type Projection, type Reads } from '../services/reads.ts';
import { builder, type Types } from './builder.ts';
import { type GraphContext, loadBatched } from './context.ts';
import { lookAhead, projectionKey, type ResolveInfo } from './look-ahead.ts';
import type { NodeType } from './nodes.ts';

type Row = { readonly id: bigint };
type ListReads<R> = Pick<Reads<R>, 'scope' | 'listMany' | 'countMany' | 'existMany'>;

/** A kind of list: the table's name, which its cursors contain, and its reads. */
interface List<R extends Row> {
  readonly kind: string;
  readonly reads: ListReads<R>;
}

/** One parent's page of a list, and the arguments that it was loaded with. */
interface Connection<R extends Row> {
  readonly list: List<R>;
  readonly parentId: bigint;
  readonly args: ConnectionArgs;
  readonly page: Page<R>;
}

/** The cost of a count in the cost analysis, in rows: that of a page. The concurrency of counts is limited in store.ts. */
const COUNT_COST = 20;

export interface ConnectionType<R extends Row> {
  readonly ref: ObjectRef<Types, Connection<R>>;
  /** Loads one parent's page, batched with those of other parents; null when the parent does not exist or is not the caller's. */
  load(
    ctx: GraphContext,
    parentId: bigint,
    args: ConnectionArgs,
    info: ResolveInfo,
  ): Promise<Connection<R> | null>;
  /** Defines the parent's field for its list of these objects. */
  field<Parent extends Row>(
    t: PothosSchemaTypes.ObjectFieldBuilder<Types, Parent>,
    description: string,
  ): FieldMap[string];
}

const SortOrder = builder.enumType('SortOrder', {
  description:
    'The direction of a list. Lists are ordered by `databaseId`, which follows the order of creation.',
  values: {
    ASC: { value: 'asc', description: 'The oldest objects come first.' },
    DESC: { value: 'desc', description: 'The newest objects come first.' },
  },
});

/** The arguments that every connection takes. */
export const connectionArgs = builder.args((t) => ({
  first: t.int({
    description: `How many objects to return from the start: at least 1. Without first and last it is ${DEFAULT_PAGE_SIZE}; more than ${MAX_PAGE_SIZE} gives ${MAX_PAGE_SIZE}.`,
  }),
  last: t.int({
    description: `How many objects to return from the end: at least 1; more than ${MAX_PAGE_SIZE} gives ${MAX_PAGE_SIZE}. Not together with first.`,
  }),
  after: t.string({
    description:
      'Only objects that follow this cursor, in the sort order. It works even after its object was deleted.',
  }),
  before: t.string({
    description:
      'Only objects that precede this cursor, in the sort order. It works even after its object was deleted.',
  }),
  sortOrder: t.field({
    type: SortOrder,
    defaultValue: 'asc',
    description: 'The direction of the list. All other arguments follow it.',
  }),
}));

const PageInfo = builder.objectRef<Connection<Row>>('PageInfo').implement({
  description: 'Where a page of a connection begins and ends, and whether there is more.',
  fields: (t) => ({
    startCursor: t.string({
      nullable: true,
      description: 'The cursor of the first object of the page, or null on an empty page.',
      resolve: ({ list, page }) => cursorOf(list, page.rows[0]),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'The cursor of the last object of the page, or null on an empty page.',
      resolve: ({ list, page }) => cursorOf(list, page.rows.at(-1)),
    }),
    hasNextPage: t.boolean({
      description: 'Whether objects follow the end of this page.',
      resolve(connection, _args, ctx) {
        const request = requestOf(connection);
        if (!request.backward && connection.page.more) return true;
        return request.before === null ? false : existsBeyond(ctx, connection, request.before, 'after');
      },
    }),
    hasPreviousPage: t.boolean({
      description: 'Whether objects precede the start of this page.',
      resolve(connection, _args, ctx) {
        const request = requestOf(connection);
        if (request.backward && connection.page.more) return true;
        return request.after === null ? false : existsBeyond(ctx, connection, request.after, 'before');
      },
    }),
  }),
});

/**
 * Defines `XConnection` and `XEdge` for a type of node.
 * @param kind the kind of list that its cursors are for
 */
export function defineConnection<R extends Row>(
  node: NodeType<R>,
  { table: kind }: Pick<Resource, 'table'>,
  reads: ListReads<R>,
): ConnectionType<R> {
  const list: List<R> = { kind, reads };
  const edge = builder.objectRef<R>(`${node.name}Edge`).implement({
    description: `One ${node.name} of a list, with its place in it.`,
    fields: (t) => ({
      cursor: t.string({
        description: 'The place of this object in lists of its kind, for the arguments after and before.',
        column: 'id',
        write: writeBase64(`${kind}:`, 'base64url'),
        resolve: (row) => encodeCursor(kind, row.id),
      }),
      // For a type parameter Pothos cannot infer that it is not a list: hence `as never`.
      node: t.field({
        type: node.ref,
        description: 'The object itself.',
        sameRows: true,
        resolve: (row) => row as never,
      }),
    }),
  });
  const ref = builder.objectRef<Connection<R>>(`${node.name}Connection`).implement({
    description: `A page of a list of ${node.name} objects.`,
    scope: reads.scope,
    isConnection: true,
    fields: (t) => ({
      edges: t.field({
        type: [edge],
        description: 'The objects of the page in order, each with its cursor.',
        sameRows: true,
        resolve: ({ page }) => page.rows,
      }),
      nodes: t.field({
        type: [node.ref],
        description: 'The objects of the page in order, without their cursors.',
        sameRows: true,
        resolve: ({ page }) => page.rows,
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Where the page begins and ends, and whether there is more.',
        columns: ['id'],
        resolve: (connection) => connection,
      }),
      totalCount: t.int({
        nullable: true,
        description: `How many objects the whole list has, whatever the page. Beyond ${MAX_EXACT_COUNT} it is at least so many, and totalCountIsExact is false. Counted only when asked for.`,
        columns: ['id'],
        cost: COUNT_COST,
        resolve: async ({ parentId }, _args, ctx) => (await countOf(ctx, list, parentId)).count,
      }),
      totalCountIsExact: t.boolean({
        nullable: true,
        description: 'Whether totalCount is the number of all objects, and not only a lower bound of it.',
        columns: ['id'],
        cost: COUNT_COST,
        resolve: async ({ parentId }, _args, ctx) => (await countOf(ctx, list, parentId)).isExact,
      }),
    }),
  });
  const loadPage: ConnectionType<R>['load'] = (ctx, parentId, args, info) =>
    load(ctx, list, parentId, args, lookAhead(info));
  return {
    ref,
    load: loadPage,
    field: (t, description) =>
      t.field({
        type: ref,
        nullable: true,
        description,
        args: connectionArgs,
        scope: reads.scope,
        columns: ['id'],
        resolve: (parent, args, ctx, info) => loadPage(ctx, parent.id, args, info) as never,
      }),
  };
}

/** The number of objects in one parent's list, counted for all parents in one statement. */
function countOf(ctx: GraphContext, { kind, reads }: List<Row>, parentId: bigint): Promise<Count> {
  return loadBatched(ctx, `${kind}.count`, parentId, (ids) => reads.countMany(ctx, ids));
}

async function load<R extends Row>(
  ctx: GraphContext,
  list: List<R>,
  parentId: bigint,
  args: ConnectionArgs,
  projection: Projection,
): Promise<Connection<R> | null> {
  const { first, last, after, before, sortOrder } = args;
  const key = `${list.kind}.list ${JSON.stringify([first, last, after, before, sortOrder, projectionKey(projection)])}`;
  const page = await loadBatched(ctx, key, parentId, async (ids) =>
    list.reads.listMany(ctx, ids, parseConnectionArgs(list.kind, args), projection),
  );
  return page === null ? null : { list, parentId, args, page };
}

function requestOf({ list, args }: Connection<Row>): PageRequest {
  return parseConnectionArgs(list.kind, args);
}

/** Whether the list has objects at an id or beyond it, in a direction of the sort order. */
function existsBeyond(
  ctx: GraphContext,
  { list, parentId, args }: Connection<Row>,
  id: bigint,
  direction: 'before' | 'after',
): Promise<boolean> {
  const above = (direction === 'after') === (args.sortOrder !== 'desc');
  const probe: Probe = { id, side: above ? 'at_or_above' : 'at_or_below' };
  const key = `${list.kind}.exist ${probe.side} ${id}`;
  return loadBatched(ctx, key, parentId, (ids) => list.reads.existMany(ctx, ids, probe));
}

function cursorOf(list: List<Row>, row: Row | undefined): string | null {
  return row === undefined ? null : encodeCursor(list.kind, row.id);
}
