// How long, deep and costly an operation may be, decided before it runs. What it weighs is worked out in weights.ts.
import {
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  parse,
  type Source,
} from 'graphql';
import type { Limits } from '../config.ts';
import { AppError } from '../errors.ts';
import { toGraphQLError } from './errors.ts';
import { type Variables, weigh } from './weights.ts';

/** Validation takes time that grows with the square of a document's size. */
const MAX_TOKENS = 4_000;

/** The parser calls itself for each bracket that is open, and messages print what stands inside. */
const MAX_OPEN_BRACKETS = 200;

/** Brackets, and the texts and comments in which they do not count. */
const BRACKET = /"""(?:\\"""|(?!""")[\s\S])*"""|"(?:[^"\\\n]|\\.)*"|#.*|(?<opened>[{[(])|(?<closed>[}\])])/g;

/** What reading the schema may cost: twice all of it. It needs no key, so the limit on data does not apply to it. */
const MAX_SCHEMA_COST = 10_000;

/** @throws GraphQLError for a syntax error, a document that is too long, or one that is nested too deep */
export function parseWithinLimits(source: string | Source): DocumentNode {
  let open = 0;
  for (const { groups } of (typeof source === 'string' ? source : source.body).matchAll(BRACKET)) {
    const { opened, closed } = groups ?? {};
    if (opened !== undefined) open++;
    if (closed !== undefined) open--;
    if (open > MAX_OPEN_BRACKETS) {
      throw toGraphQLError(
        refusal(`The document has more than ${MAX_OPEN_BRACKETS} brackets inside each other.`),
      );
    }
  }
  return parse(source, { maxTokens: MAX_TOKENS });
}

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
