// Limits on the depth and cost of a validated operation, checked before it is executed.
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { Limits } from '../../config/config.ts';
import { AppError } from '../../errors.ts';
import { computeCost, type Variables } from './cost.ts';
import { requireSmallIntrospection } from './introspection-size.ts';

/** How many values an answer may have for each row that its operation may read. */
const VALUES_PER_ROW = 5;

/**
 * Checks an operation's depth, its rows and values, and how much of the schema it introspects.
 * @returns the maximum number of values in its answer
 * @throws AppError `invalid` for an operation beyond the limits
 */
export function requireWithinLimits(
  { maxQueryDepth, maxQueryCost }: Limits,
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): number {
  const { depth, rows, values } = computeCost(schema, document, operation, variables);
  if (depth > maxQueryDepth) {
    throw refusal(`The operation is nested ${depth} levels deep; at most ${maxQueryDepth} are allowed.`);
  }
  if (rows > maxQueryCost) {
    throw refusal(
      `The operation may touch ${rows} rows by its page sizes; at most ${maxQueryCost} are allowed. Ask for smaller pages.`,
    );
  }
  const maxValues = maxQueryCost * VALUES_PER_ROW;
  if (values > maxValues) {
    throw refusal(
      `The answer may have ${values} values by its page sizes; at most ${maxValues} are allowed. Ask for smaller pages or fewer fields.`,
    );
  }
  requireSmallIntrospection(schema, document, operation, variables);
  return values;
}

function refusal(message: string): AppError {
  return new AppError('invalid', message);
}
