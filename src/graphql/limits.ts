// How deep and how costly an operation may be, decided before it runs. What it weighs is worked out in weights.ts.
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { Limits } from '../config.ts';
import { AppError } from '../errors.ts';
import { type Variables, weigh } from './weights.ts';

/** What reading the schema may cost: twice all of it. It needs no key, so the limit on data does not apply to it. */
const MAX_SCHEMA_COST = 10_000;

/** @throws AppError `invalid` for an operation beyond the limits */
export function requireWithinLimits(
  { maxQueryDepth, maxQueryCost }: Limits,
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): void {
  const { depth, cost, schemaCost } = weigh(schema, document, operation, variables);
  if (depth > maxQueryDepth) {
    throw refusal(`The operation is nested ${depth} levels deep; at most ${maxQueryDepth} are allowed.`);
  }
  if (cost > maxQueryCost) {
    throw refusal(
      `The operation may touch ${Math.ceil(cost)} rows by its page sizes; at most ${maxQueryCost} are allowed. Ask for smaller pages.`,
    );
  }
  if (schemaCost > MAX_SCHEMA_COST) {
    throw refusal('The operation asks for more of the schema than is allowed at once.');
  }
}

function refusal(message: string): AppError {
  return new AppError('invalid', message);
}
