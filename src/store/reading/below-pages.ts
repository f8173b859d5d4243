// Child rows that are read together with pages of their parents, in one statement with an outer join.

import { SharedCache } from '../../concurrency/shared-cache.ts';
import type { RowMaker } from '../../rows/columns.ts';
import type { Statement } from '../sql/statements.ts';
import type { RowOwner } from '../tenancy/row-owners.ts';
import type { ProjectedColumns } from './projections.ts';

/** The child rows to read with the pages. */
export interface Below<Row> {
  /** The children's columns, over alias `t`. */
  readonly projected: ProjectedColumns<Row>;
  /** The children's table. */
  readonly table: string;
  /** The join condition between a child, alias `t`, and its parent in the page, alias `f`. */
  readonly on: string;
  /** The order of the children of one parent. */
  readonly order: string;
  /** Which columns name the children's owner. @param offset the index of the first child column */
  owners(offset: number): readonly RowOwner[];
  /** Called with each child row, in order. */
  add(row: Row): void;
}

/** The columns of a page and of its children, in one statement. */
interface Together<Row> {
  readonly make: RowMaker<Row>;
  statement(name: string, build: () => string): Statement;
}

/** The size of the cache, for all teams. The number of projections is bounded (projections.ts), but clients can ask for many more pairs. */
const MAX_PAIRS = 400;
const pairs = new SharedCache<Together<unknown>>({ max: MAX_PAIRS });
let created = 0;

/**
 * @param offset the index of the first child column, after the page's columns and the parent's id
 * @param tenantId the team that the rows are read for
 */
export function joinColumns<Row>(
  page: Pick<ProjectedColumns<unknown>, 'suffix'>,
  below: Pick<Below<Row>, 'table' | 'projected'>,
  offset: number,
  tenantId: bigint,
): Together<Row> {
  const key = `${offset} ${page.suffix} ${below.table} ${below.projected.suffix}`;
  let found = pairs.get(key, tenantId);
  if (found === undefined) {
    found = createTogether(below.projected, offset) as Together<unknown>;
    pairs.add(key, tenantId, found);
  }
  return found as Together<Row>;
}

function createTogether<Row>(below: ProjectedColumns<Row>, offset: number): Together<Row> {
  // As in projections.ts: a number that is never reused.
  const suffix = `.b${++created}`;
  const statements = new Map<string, Statement>();
  return {
    make: below.makeAt(offset),
    statement(name, build) {
      const found = statements.get(name) ?? {
        name: `${name}${suffix}`,
        text: build(),
        isProjection: true,
      };
      statements.set(name, found);
      return found;
    },
  };
}
