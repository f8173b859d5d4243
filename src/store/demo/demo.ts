// What each noun's part of the demo is handed, and how its rows are inserted.
import type { Prisma } from '#prisma';
import type { Random } from '../seed/random.ts';
import type { Transaction } from '../store.ts';
import type { WorkspaceData } from './data/shape.ts';

/** What the parts share while the demo is inserted, in one transaction. */
export interface Demo {
  readonly tx: Transaction;
  readonly random: Random;
  /** A moment that many days before the seeding, to the millisecond; dates are spread by `random`. */
  daysAgo(days: number): Date;
}

type Model = Prisma.ModelName;
type Columns<Of extends Model> = Extract<
  Prisma.TypeMap['model'][Of]['operations']['createMany']['args']['data'],
  readonly unknown[]
>[number];

/** The columns of a row but those that each row has by itself; a time that is given is taken in place of the usual one. */
type NewRow<Of extends Model> = Omit<Columns<Of>, 'workspaceId'>;

/** A row that was inserted, and what it was made from. */
export interface Inserted<Data> {
  readonly id: bigint;
  readonly createdAt: Date;
  readonly data: Data;
}

/** A workspace of the demo that is being filled. */
export interface Filling extends Demo {
  readonly workspaceId: bigint;
  /** What it is described with. */
  readonly data: WorkspaceData;
  /** Inserts a row for each of `all`, with ids in their order. Its name stands for it from then on. */
  insert<Of extends Model, Data>(
    model: Of,
    all: readonly Data[],
    toRow: (data: Data, createdAt: Date, index: number) => NewRow<Of>,
  ): Promise<Inserted<Data>[]>;
  /** The id of an inserted row by its name. @throws Error naming what the data got wrong */
  idOf(model: Model, name: string): bigint;
}

/** The age in days of the first row of a kind, how much younger each further one is, and the random part of it. */
type Age = readonly [first: number, step?: number, random?: number];

const AGES: { readonly [Of in Model]?: Age } = {
  Tag: [840, 7],
  RefineFilter: [700, 11, 10],
  ShippingLocationGroup: [640],
  FulfillmentLocation: [640],
  ShippingPackage: [640],
  ShippingProfile: [640],
  ShippingRateName: [640],
  ShippingRate: [640],
  ShippingZone: [640],
  Product: [620, 45],
  ProductTag: [620],
  ProductCollection: [620],
  FunnelLabel: [610, 5],
  Funnel: [600, 60, 30],
  Theme: [560, 1],
  Image: [500, 1],
  Store: [480, 1],
  OrderTag: [480, 1],
  WebhookEndpoint: [400, 31, 10],
  Page: [90, 1],
};

/** Begins to fill a workspace. */
export function startFilling(demo: Demo, workspaceId: bigint, data: WorkspaceData): Filling {
  const { tx, random, daysAgo } = demo;
  const ids = new Map<string, bigint>();
  return {
    ...{ ...demo, workspaceId, data },
    async insert(model, all, toRow) {
      const table = Reflect.get(tx, `${model.charAt(0).toLowerCase()}${model.slice(1)}`) as ModelClient;
      const [first, step = 0, chance = 0]: Age = AGES[model] ?? [0];
      const rows = all.map((data, index) => {
        const usual = daysAgo(first - index * step - (chance && random.next() * chance));
        const row: AnyRow = toRow(data, usual, index);
        return { row, createdAt: row.createdAt ?? usual };
      });
      const made = await table.createManyAndReturn({
        data: rows.map(({ row, createdAt }) => ({ ...usualColumns(table, workspaceId, createdAt), ...row })),
        select: { id: true },
      });
      return zip(made, zip(rows, all)).map(([{ id }, [{ row, createdAt }, data]]) => {
        ids.set(`${model} ${row.name ?? row.host}`, id);
        return { id, createdAt, data };
      });
    },
    idOf(model, name) {
      const id = ids.get(`${model} ${name}`);
      if (id === undefined) throw new Error(`Demo data: there is no ${model} "${name}".`);
      return id;
    },
  };
}

interface AnyRow {
  readonly createdAt?: Date;
  readonly name?: string;
  readonly host?: string;
}

/** What Prisma's client has of a table. */
interface ModelClient {
  readonly fields: Readonly<Record<string, unknown>>;
  createManyAndReturn(of: { data: object[]; select: { id: true } }): Promise<{ id: bigint }[]>;
}

/** Those of the usual columns that the table has. */
function usualColumns({ fields }: ModelClient, workspaceId: bigint, createdAt: Date): object {
  const usual = Object.entries({ workspaceId, createdAt, updatedAt: createdAt });
  return Object.fromEntries(usual.filter(([name]) => fields[name] !== undefined));
}

/** Pairs two lists of the same length. */
export function zip<A, B>(left: readonly A[], right: readonly B[]): [A, B][] {
  if (left.length !== right.length) throw new Error(`Lengths differ: ${left.length}, ${right.length}.`);
  return left.map((item, index) => [item, right[index] as B]);
}
