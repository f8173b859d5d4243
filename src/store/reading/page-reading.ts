// What reading a page takes, under one parent or many: how many rows from which end, and what is made of them.
import type { Page, PageRequest } from '../../pagination.ts';
import type { Table } from '../tables/table.ts';
import type { ProjectedColumns } from './projections.ts';
import type { PageReading } from './settled.ts';

type Row = { id: bigint };

/** How a page is read up to where its table is settled. @param read reads it between two positions */
export function readingOf<R extends Row>(
  table: Table<R>,
  page: PageRequest,
  { columns, make }: ProjectedColumns<R>,
  read: PageReading['read'],
): PageReading {
  return {
    table: table.name,
    page,
    read,
    idField: Object.keys(columns).indexOf('id'),
    latestOf(rows) {
      const times = rows.map((block, index) => {
        const { updatedAt } = make(block, index) as { updatedAt?: Date | null };
        return updatedAt?.getTime() ?? 0;
      });
      return Math.max(0, ...times);
    },
  };
}

/** One row too many tells whether there is more. */
export function limitOf({ size, rowsOnly }: PageRequest): number {
  return rowsOnly ? size : size + 1;
}

/** Paging backward scans from the other end. */
export function scanDirection(page: PageRequest): 'asc' | 'desc' {
  return (page.order === 'asc') !== page.backward ? 'asc' : 'desc';
}

/** A projection with what the rows are ordered by: their cursors have it. */
export function withSort(
  projection: readonly string[] | null,
  { sort }: PageRequest,
): readonly string[] | null {
  return projection === null || sort === undefined ? projection : [...projection, sort];
}

/** Cuts off the one row too many that tells whether there is more, and restores the order of a backward scan. */
export function toPage<R extends Row>(rows: R[], page: PageRequest): Page<R> {
  const more = rows.length > page.size;
  const kept = more ? rows.slice(0, page.size) : rows;
  const { sort } = page;
  return { rows: page.backward ? kept.toReversed() : kept, more, ...(sort && { sort }) };
}
