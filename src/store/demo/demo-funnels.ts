// The demo's funnels with their steps, as the data has them.
import type { BranchName } from '../reading/funnel-steps.ts';
import { type Fixture, type FixtureRow, keyOf, readRows, toReference } from './fixture.ts';

export interface DemoFunnel {
  /** Workspaces have the first ids, in the order of the data. */
  readonly workspaceId: bigint;
  readonly name: string;
  /** In the order of their ids: each after the one that it is below. */
  readonly steps: readonly DemoStep[];
}

export interface DemoStep {
  readonly kind: string;
  readonly name: string;
  /** The index of another step. */
  readonly parent: number | null;
  readonly branch: BranchName | null;
  readonly position: number;
  /** The name of the saved filter that decides a split. */
  readonly filter: string | null;
}

/** Reads the funnels, in the order of their ids. */
export async function readFunnels(): Promise<DemoFunnel[]> {
  const fixture = await readRows();
  const workspaces = rowsOf(fixture, 'workspaces').map(({ row }) => keyOf(row));
  return rowsOf(fixture, 'funnels').map(({ workspace, row: funnel }) => {
    const own = rowsOf(fixture, 'funnel_steps').filter((step) => step.workspace === workspace);
    const rows = own.map(({ row }) => row).filter((row) => referred(row, 'funnel_id') === keyOf(funnel));
    const indexes = new Map(rows.map((row, index) => [keyOf(row), index]));
    return {
      workspaceId: BigInt(workspaces.indexOf(workspace) + 1),
      name: String(funnel['name']),
      steps: rows.map((row) => toStep(row, indexes)),
    };
  });
}

const rowsOf = (fixture: Fixture, table: string) => fixture.get(table) ?? [];

const referred = (row: FixtureRow, column: string) => toReference(row[column])?.key ?? null;

function toStep(row: FixtureRow, indexes: ReadonlyMap<string | null, number>): DemoStep {
  const { kind, name, branch = null, position } = row;
  const parent = referred(row, 'parent_id');
  return {
    ...{
      kind: String(kind),
      name: String(name),
      branch: branch as BranchName | null,
      position: Number(position),
    },
    parent: parent === null ? null : (indexes.get(parent) ?? null),
    filter: referred(row, 'filter_id'),
  };
}
