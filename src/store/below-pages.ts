// Rows of another table that are read together with the pages whose rows they are below, by an outer join: one statement for both.
import type { RowMaker } from '../rows/columns.ts';
import type { ProjectedColumns } from './projections.ts';
import type { RowOwner } from './row-owners.ts';
import type { Statement } from './statements.ts';

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

/** As many as there are projections (projections.ts), with which they go. */
const known = new WeakMap<object, WeakMap<object, Together<unknown>>>();

/** @param offset the index of the first column below, behind those of the page and the id of its parent */
export function joinColumns<Row>(
  page: Pick<ProjectedColumns<unknown>, 'suffix'>,
  below: ProjectedColumns<Row>,
  offset: number,
): Together<Row> {
  const ofPage = known.get(page) ?? new WeakMap<object, Together<unknown>>();
  known.set(page, ofPage);
  const found = ofPage.get(below) ?? createTogether(page, below, offset);
  ofPage.set(below, found);
  return found as Together<Row>;
}

function createTogether<Row>(
  page: Pick<ProjectedColumns<unknown>, 'suffix'>,
  below: ProjectedColumns<Row>,
  offset: number,
): Together<Row> {
  const statements = new Map<string, Statement>();
  return {
    make: below.makeAt(offset),
    statement(name, build) {
      const found = statements.get(name) ?? {
        name: `${name}${page.suffix}${below.suffix}`,
        text: build(),
        isProjection: true,
      };
      statements.set(name, found);
      return found;
    },
  };
}
