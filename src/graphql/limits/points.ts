// What an operation costs of the rate limits: by the rows that it may read, as a REST page does, and a point at least for each change. On
// request the answer says so, in `extensions.cost`.
import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import { AppError } from '../../errors.ts';
import { chargeMore, pointsOf } from '../../services/rate-limits.ts';
import type { GraphContext } from '../context.ts';
import { rootFieldsOf } from '../root-fields.ts';

/** The header of a request whose answer is to say what it costs. */
export const COST_HEADER = 'graphql-cost';

/** A point for so many characters of the schema: the full introspection query takes about as long as this makes it cost. */
const SCHEMA_CHARS_PER_POINT = 5_000;

/** The points of a valid operation that may read so many rows, and introspects so much. */
export function pointsOfOperation(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  { rows, schemaChars }: { readonly rows: number; readonly schemaChars: number },
): number {
  const points = Math.max(pointsOf(rows), Math.ceil(schemaChars / SCHEMA_CHARS_PER_POINT));
  return operation.operation === 'mutation' ? Math.max(points, changesOf(document, operation)) : points;
}

/** How many root fields a mutation has: fields with the same response key are one. */
function changesOf(document: DocumentNode, operation: OperationDefinitionNode): number {
  return new Set(rootFieldsOf(document, operation).map(({ alias, name }) => (alias ?? name).value)).size;
}

/**
 * Counts an operation before it is executed; a second time, when it is executed again, nothing.
 * @throws AppError `too_many_requests`, which is kept in the request's state
 */
export async function chargeOperation(ctx: GraphContext, rows: number, points: number): Promise<void> {
  const { state } = ctx;
  if (state.cost !== null) return;
  state.cost = { rows, points };
  try {
    // The first point was counted when the caller was known.
    const counting = chargeMore(ctx, points - 1);
    if (counting !== undefined) await counting;
  } catch (error) {
    if (error instanceof AppError) state.refusal = error;
    throw error;
  }
}

/** What the request costs, and what is left under the limit that is closest to its end; null where nobody asked, or nothing was counted. */
export function costOf({ state, facts }: GraphContext): object | null {
  const { cost, showsCost } = state;
  if (!showsCost) return null;
  const [closest] = facts.rates.toSorted((a, b) => a.remaining / a.limit - b.remaining / b.limit);
  return {
    // More than was expected where a change has made many rows.
    points: Math.max(cost?.points ?? 0, facts.points),
    rows: cost?.rows ?? 0,
    limit: closest?.limit ?? null,
    remaining: closest?.remaining ?? null,
    resetSeconds: closest === undefined ? null : Math.ceil(closest.resetMs / 1_000),
  };
}

/** An answer, `{...}`, with its cost added where the request asks for it. */
export function withCost(body: Uint8Array<ArrayBuffer>, ctx: GraphContext): Uint8Array<ArrayBuffer> {
  const cost = costOf(ctx);
  if (cost === null) return body;
  return Buffer.concat([body.subarray(0, -1), Buffer.from(`,"extensions":${JSON.stringify({ cost })}}`)]);
}
