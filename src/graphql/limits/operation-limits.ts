// Limits on the depth and cost of a validated operation, checked before it is executed.
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { Limits } from '../../config/limits.ts';
import { AppError, invalid } from '../../errors.ts';
import { computeCost, largestField, type Variables } from './cost.ts';
import { requireSmallIntrospection } from './introspection-size.ts';
import { dotted, QueryTooLarge } from './query-too-large.ts';

/** How many values an answer may have for each row that its operation may read. */
const VALUES_PER_ROW = 5;

/** What to do about an operation that is too large. */
const REMEDY = 'Ask for smaller pages on this path (`first`, `last`), or for less below it.';

/** Members of an object in a variable. The error for each unknown member copies the whole object, which is slow for large ones. */
const MAX_MEMBERS = 100;
const MAX_NAME_CHARS = 128;
/** Values in a variable: no argument takes that many. graphql-js checks all of them, and prints all of them in errors. */
const MAX_VALUES = 10_000;

/**
 * Checks an operation's variables, depth, rows, values, and the size of its introspection.
 * @returns the most rows and values that it may have, its number of lists and look-ups, and the characters of its introspection
 * @throws QueryTooLarge when the rows or values exceed a limit; AppError `invalid` for another one
 */
export function requireWithinLimits(
  { maxQueryDepth, maxQueryCost }: Limits,
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): { readonly rows: number; readonly reads: number; readonly values: number; readonly schemaChars: number } {
  requireSmallObjects(variables);
  const { depth, rows, reads, values } = computeCost(schema, document, operation, variables);
  if (depth > maxQueryDepth) {
    throw new AppError(
      'invalid',
      `The operation is nested ${depth} levels deep; at most ${maxQueryDepth} are allowed.`,
    );
  }
  const whatIsLarge = (measure: 'rows' | 'values', limit: number) =>
    largestField(measure, limit, schema, document, operation, variables);
  if (rows > maxQueryCost) {
    const largest = whatIsLarge('rows', maxQueryCost);
    throw new QueryTooLarge(
      `The operation may read ${rows} rows, most of them for \`${dotted(largest.path)}\`; at most ${maxQueryCost} are allowed. ${REMEDY}`,
      { ...largest, rows, limit: maxQueryCost },
    );
  }
  const maxValues = maxQueryCost * VALUES_PER_ROW;
  if (values > maxValues) {
    const largest = whatIsLarge('values', maxValues);
    throw new QueryTooLarge(
      `The answer may have ${values} values, most of them in \`${dotted(largest.path)}\`; at most ${maxValues} are allowed. ${REMEDY}`,
      { ...largest, values, limit: maxValues },
    );
  }
  const schemaChars = requireSmallIntrospection(schema, document, operation, variables);
  return { rows, reads, values, schemaChars };
}

function requireSmallObjects(variables: Variables): void {
  for (const [name, value] of Object.entries(variables)) {
    const excess = excessOf(value);
    if (excess === null) continue;
    const field = name.slice(0, MAX_NAME_CHARS);
    throw invalid(field, { code: 'too_many', message: MESSAGES[excess](`the variable ${field}`) });
  }
}

/** Whether variables exceed the limits. Such variables must not be coerced, which would be slow. */
export function hasTooManyValues(variables: Variables): boolean {
  return Object.values(variables).some((value) => excessOf(value) !== null);
}

const MESSAGES = {
  members: (variable: string) => `An object in ${variable} has more than ${MAX_MEMBERS} members.`,
  values: (variable: string) => `There are more than ${MAX_VALUES} values in ${variable}.`,
} as const;

/** Which limit a variable exceeds; null for none. Not recursive, since it may be nested deeply. */
function excessOf(variable: unknown): keyof typeof MESSAGES | null {
  const objects = [variable].filter(isObject);
  let count = 0;
  for (let object = objects.pop(); object !== undefined; object = objects.pop()) {
    const members: readonly unknown[] = Array.isArray(object) ? object : Object.values(object);
    if (!Array.isArray(object) && members.length > MAX_MEMBERS) return 'members';
    count += members.length;
    if (count > MAX_VALUES) return 'values';
    for (const member of members) if (isObject(member)) objects.push(member);
  }
  return null;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
