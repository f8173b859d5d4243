// Rows of another table that are read together with the pages whose rows they are below, by an outer join: one statement for both.

import { SharedCache } from '../../concurrency/shared-cache.ts';
import type { RowMaker } from '../../rows/columns.ts';
import type { Statement } from '../sql/statements.ts';
import type { RowOwner } from '../tenancy/row-owners.ts';
import type { ProjectedColumns } from './projections.ts';

/** What stands below the rows of the pages. */
export interface Below<Row> {
  /** Its columns, over alias `t`. */
  readonly projected: ProjectedColumns<Row>;
  /** Its table. */
  readonly table: string;
  /** What joins it, over alias `t`, with the rows of the page, alias `f`. */
  readonly on: string;
  /** Its order below one row of the page. */
  readonly order: string;
  /** Where its rows say whose they are. @param offset the index of its first column */
  owners(offset: number): readonly RowOwner[];
  /** Called with each of its rows, in their order. */
  add(row: Row): void;
}

/** The columns of a page and of what is below, in one statement. */
interface Together<Row> {
  readonly make: RowMaker<Row>;
  statement(name: string, build: () => string): Statement;
}

/** For all teams. Of projections, whose number is bounded (projections.ts), there are many more pairs, which a client may ask for too. */
const MAX_PAIRS = 400;
const pairs = new SharedCache<Together<unknown>>({ max: MAX_PAIRS });
let created = 0;

/**
 * @param offset the index of the first column below, behind those of the page and the id of its parent
 * @param tenantId the team that they are read for
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
  // As of a projection: a number that is never reused.
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
