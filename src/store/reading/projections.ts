// Projections: the columns of a table that a request needs, with a row maker and prepared statements for exactly these columns. Clients
// determine which projections exist, so they are kept in a bounded cache. A team with many projections evicts its own.

import { SharedCache } from '../../concurrency/shared-cache.ts';
import { type Columns, columnsWithRows, type RowMaker, rowMaker } from '../../rows/columns.ts';
import { memoizedStatements, numbered, type StatementOf, statement } from '../sql/statements.ts';
import type { OwnerKind, RowOwner } from '../tenancy/row-owners.ts';

/** A table, or a part of one, whose columns can be projected. The type parameter is the row of all columns. */
export interface Source<Row> {
  readonly name: string;
  readonly columns: Columns;
  /** The properties that identify a row's owner. */
  readonly owners: Readonly<Record<string, OwnerKind>>;
  /** Carries the type parameter; no value has this property. */
  readonly row?: Row;
  /** Columns with rows of other tables, which are read only if a projection selects properties of these. */
  readonly below?: Columns;
  /** Further properties of complete rows that come from other tables. */
  readonly besides?: readonly string[];
}

/** The projected columns, and the row maker and statements for them. */
export interface ProjectedColumns<Row> {
  readonly columns: Columns;
  readonly make: RowMaker<Row>;
  /** The suffix of its statements' names; empty for all columns. */
  readonly suffix: string;
  /** The columns that identify the owner of its rows. */
  readonly owners: readonly RowOwner[];
  /** The statement with a name over these columns. Its text is built on first use. */
  readonly statement: StatementOf;
}

/** The size of the cache, for all tables and teams. */
const MAX_PROJECTIONS = 400;

const projections = new SharedCache<ProjectedColumns<unknown>>({ max: MAX_PROJECTIONS });
/** Projections of all columns, by table. The number of tables bounds it. */
const fullProjections = new Map<string, ProjectedColumns<unknown>>();
let created = 0;

/**
 * Projects columns of a table.
 * @param projection properties of the row; for lists of children and ids of other rows also `property(properties of each row)`; null for
 * all. Always includes the id, as the first column, and the properties that identify the owner.
 * @param tenantId the team that the rows are read for
 */
export function project<Row extends { id: bigint }>(
  source: Source<Row>,
  projection: readonly string[] | null = null,
  tenantId = 0n,
): ProjectedColumns<Row> {
  const { name, besides = [] } = source;
  if (projection === null) return fullProjection(source);
  const all = Object.keys(source.columns);
  const included = all.filter(
    (property) => property === 'id' || property in source.owners || projection.includes(property),
  );
  const withRows = projection.filter((entry) => entry.endsWith(')'));
  if (besides.length + withRows.length === 0 && included.length === all.length) return fullProjection(source);
  const key = `${name} ${[...included, ...withRows].join(' ')}`;
  let projected = projections.get(key, tenantId);
  if (projected === undefined) {
    projected = partialProjection(
      source,
      included,
      columnsWithRows({ ...source.columns, ...source.below }, withRows),
    );
    projections.add(key, tenantId, projected);
  }
  return projected as ProjectedColumns<Row>;
}

function fullProjection<Row>(source: Source<Row>): ProjectedColumns<Row> {
  const projected = fullProjections.get(source.name) ?? {
    columns: source.columns,
    make: rowMaker(source.columns),
    suffix: '',
    owners: ownersOf(source.columns, source.owners),
    statement,
  };
  fullProjections.set(source.name, projected);
  return projected as ProjectedColumns<Row>;
}

function partialProjection<Row>(
  source: Source<Row>,
  included: readonly string[],
  withRows: Columns,
): ProjectedColumns<Row> {
  const { besides = [] } = source;
  const own = Object.entries(source.columns).filter(([property]) => included.includes(property));
  const columns: Columns = { ...Object.fromEntries(own), ...withRows };
  const absent = [...Object.keys(source.columns), ...besides].filter(
    (property) => !included.includes(property),
  );
  // PostgreSQL truncates statement names to 63 characters, so a projection is identified by a number that is never reused.
  const suffix = `.c${++created}`;
  return {
    columns,
    make: rowMaker<Row>(columns, { absent }),
    suffix,
    owners: ownersOf(columns, source.owners),
    statement: memoizedStatements((name, text) => ({
      ...numbered(`${name}${suffix}`, text),
      isProjection: true,
    })),
  };
}

/**
 * Those of these columns that identify the owner of a row.
 * @param offset the index of the first column, which is null only if there is no row
 */
export function ownersOf(
  columns: Columns,
  owners: Readonly<Record<string, OwnerKind>>,
  offset = 0,
): readonly RowOwner[] {
  const properties = Object.keys(columns);
  return Object.entries(owners).map(([property, of]) => {
    const index = properties.indexOf(property);
    if (index < 0) throw new TypeError(`Projection lacks the owner column ${property}`);
    return { of, field: offset + index, row: offset };
  });
}
