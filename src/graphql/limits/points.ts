// The points that an operation costs under the rate limits: by the rows that it may read, as for a REST page, and at least one point per
// change. On request the answer shows them in `extensions.cost`.
import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import { AppError } from '../../errors.ts';
import { chargeMore, pointsOf } from '../../services/limits/rate-limits.ts';
import type { GraphContext } from '../context.ts';
import { rootFieldsOf } from '../fragments.ts';

/** The request header that asks for the cost in the answer. */
export const COST_HEADER = 'graphql-cost';

/** Introspected characters per point, chosen so that the full introspection query costs about as much as the time it takes. */
const SCHEMA_CHARS_PER_POINT = 5_000;

/** Tokens per point for parsing and for validating a document that is not cached. */
export const PARSED_TOKENS_PER_POINT = 1_000;
export const VALIDATED_TOKENS_PER_POINT = 100;

/** Refused fields per point: each error is located, printed and logged. */
const REFUSED_FIELDS_PER_POINT = 8;

/** The lists and look-ups included in the cost of the rows, and the cost of each further one, in rows. */
const FREE_READS = 10;
const ROWS_OF_READ = 5;

/** Adds the cost of refused fields to the points that the request still has to pay. */
export function chargeRefusedFields({ facts }: GraphContext, count: number): void {
  facts.owed += Math.floor(count / REFUSED_FIELDS_PER_POINT);
}

/** The points for the rows that an operation may read and for its lists and look-ups. */
export function pointsOfReads({ rows, reads }: { readonly rows: number; readonly reads: number }): number {
  return pointsOf(rows + Math.max(0, reads - FREE_READS) * ROWS_OF_READ);
}

/** The points of a valid operation, from its rows, reads, introspected characters and changes. */
export function pointsOfOperation(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  { schemaChars, ...cost }: { readonly rows: number; readonly reads: number; readonly schemaChars: number },
): number {
  const points = Math.max(pointsOfReads(cost), Math.ceil(schemaChars / SCHEMA_CHARS_PER_POINT));
  return operation.operation === 'mutation' ? Math.max(points, changesOf(document, operation)) : points;
}

/** The number of root fields of a mutation. Fields with the same response key count once. */
function changesOf(document: DocumentNode, operation: OperationDefinitionNode): number {
  return new Set(rootFieldsOf(document, operation).map(({ alias, name }) => (alias ?? name).value)).size;
}

/**
 * Charges an operation before it is executed. A second execution of the same request is free.
 * @throws AppError `too_many_requests`, which is also stored in the request's state
 */
export async function chargeOperation(ctx: GraphContext, rows: number, points: number): Promise<void> {
  const { state } = ctx;
  if (state.cost !== null) return;
  state.cost = { rows, points };
  try {
    // The first point was charged when the caller was authenticated.
    const counting = chargeMore(ctx, points - 1);
    if (counting !== undefined) await counting;
    const waiting = ctx.waitForSlot?.(ctx.facts.points);
    if (waiting !== undefined) await waiting;
  } catch (error) {
    if (error instanceof AppError) state.refusal = error;
    throw error;
  }
}

/** The cost of the request, and the state of the rate limit that is nearest to its end; null unless the request asks for it. */
export function costOf({ state, facts }: GraphContext): object | null {
  const { cost, showsCost } = state;
  if (!showsCost) return null;
  const [closest] = facts.rates.toSorted((a, b) => a.remaining / a.limit - b.remaining / b.limit);
  return {
    // A change of many rows costs more than expected.
    points: Math.max(cost?.points ?? 0, facts.points) + state.longLists.points,
    rows: (cost?.rows ?? 0) + state.longLists.rows,
    limit: closest?.limit ?? null,
    remaining: closest?.remaining ?? null,
    resetSeconds: closest === undefined ? null : Math.ceil(closest.resetMs / 1_000),
  };
}

/** Adds the cost to an answer `{...}`, if the request asks for it. */
export function withCost(body: Uint8Array<ArrayBuffer>, ctx: GraphContext): Uint8Array<ArrayBuffer> {
  const cost = costOf(ctx);
  if (cost === null) return body;
  return Buffer.concat([body.subarray(0, -1), Buffer.from(`,"extensions":${JSON.stringify({ cost })}}`)]);
}
