// Counts, during execution, lists that are longer than the cost analysis assumed, with the rows that are read for their objects.
import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import type { Limits } from '../../config/limits.ts';
import { ROWS_PER_POINT } from '../../services/limits/rate-limits.ts';
import { rowsOfItem } from './cost.ts';
import { ListsTooLong } from './query-too-large.ts';

/** The parts of a request's context that counting needs. */
interface Request {
  readonly config: { readonly limits: Pick<Limits, 'maxQueryCost'> };
  readonly facts: { owed: number };
  readonly state: {
    readonly isQuery: boolean;
    readonly cost: { readonly rows: number } | null;
    readonly variables: Readonly<Record<string, unknown>>;
  };
}

/** The cost that the long lists of one execution add. */
export class LongLists {
  rows = 0;
  /** The points already charged for them. A second execution of the operation is free. */
  points = 0;
  private readonly rowsOfItem = new Map<FieldNode, number>();

  /** Starts another execution of the same operation. */
  begin(): void {
    this.rows = 0;
  }

  /**
   * Counts the objects of a list beyond the assumed number.
   * @throws ListsTooLong when a query would read too many rows
   */
  count(request: Request, info: GraphQLResolveInfo, length: number, assumed: number): void {
    if (length <= assumed) return;
    this.add(request, (length - assumed) * this.perItem(info, request.state.variables));
  }

  /**
   * Counts rows beyond the assumed number.
   * @throws ListsTooLong when a query would read too many rows
   */
  add({ facts, state, config }: Request, rows: number): void {
    this.rows += rows;
    const points = Math.floor(this.rows / ROWS_PER_POINT);
    facts.owed += Math.max(0, points - this.points);
    this.points = Math.max(points, this.points);
    const { maxQueryCost } = config.limits;
    // A mutation has already made its change, so its answer is completed.
    const total = (state.cost?.rows ?? 0) + this.rows;
    if (state.isQuery && total > maxQueryCost) throw new ListsTooLong(total, maxQueryCost);
  }

  private perItem(info: GraphQLResolveInfo, variables: Readonly<Record<string, unknown>>): number {
    const [node] = info.fieldNodes;
    if (node === undefined) return 0;
    const cached = this.rowsOfItem.get(node);
    if (cached !== undefined) return cached;
    const rows = rowsOfItem(info, variables);
    this.rowsOfItem.set(node, rows);
    return rows;
  }
}
