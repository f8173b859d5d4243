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

/** A document that has not been seen lately costs a point for so many tokens when it is parsed, and for so many when it is validated. */
export const PARSED_TOKENS_PER_POINT = 1_000;
export const VALIDATED_TOKENS_PER_POINT = 100;

/** Fields that are refused cost a point for every so many: each error is located, printed and logged. */
const REFUSED_FIELDS_PER_POINT = 8;

/** So many lists and look-ups are paid with the rows; each one more costs as much as so many rows. */
const FREE_READS = 10;
const ROWS_OF_READ = 5;

/** Notes what fields that were refused cost. */
export function oweRefusedFields({ facts }: GraphContext, count: number): void {
  facts.owed += Math.floor(count / REFUSED_FIELDS_PER_POINT);
}

/** The points of the rows that an operation may read, and of its lists and look-ups. */
export function pointsOfReads({ rows, reads }: { readonly rows: number; readonly reads: number }): number {
  return pointsOf(rows + Math.max(0, reads - FREE_READS) * ROWS_OF_READ);
}

/** The points of a valid operation that may read so many rows, and introspects so much. */
export function pointsOfOperation(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  { schemaChars, ...cost }: { readonly rows: number; readonly reads: number; readonly schemaChars: number },
): number {
  const points = Math.max(pointsOfReads(cost), Math.ceil(schemaChars / SCHEMA_CHARS_PER_POINT));
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
    const waiting = ctx.turn?.(ctx.facts.points);
    if (waiting !== undefined) await waiting;
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
