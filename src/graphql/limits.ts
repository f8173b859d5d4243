// How long, deep and costly an operation may be, decided before it runs. What it weighs is worked out in weights.ts.
import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  Lexer,
  type OperationDefinitionNode,
  parse,
  Source,
  TokenKind,
} from 'graphql';
import type { Limits } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { requireCaller } from './access.ts';
import type { GraphContext } from './context.ts';
import { toGraphQLError } from './errors.ts';
import { requireSmallIntrospection } from './introspection-size.ts';
import { type Variables, weigh } from './weights.ts';

/** Validation takes time that grows with the square of a document's size. */
const MAX_TOKENS = 4_000;

/** Who has no credentials reads the schema and nothing else: the longest introspection query has 184. */
const MAX_ANONYMOUS_TOKENS = 500;

/** Where an error is in its document is found by going through the lines before it. */
const MAX_LINES = 4_000;

/** Names are written with every value that they name, and into every message about it. */
const MAX_NAME_CHARS = 128;

/** The parser calls itself for each bracket that is open, and messages print what stands inside. */
const MAX_OPEN_BRACKETS = 200;

/** An answer holds so many values for each row that the operation may touch. */
const VALUES_PER_ROW = 5;

/** @throws GraphQLError for a syntax error, a document that is too long, or one that is nested too deep */
export function parseWithinLimits(given: string | Source, { maxDocumentChars }: Limits): DocumentNode {
  const source = typeof given === 'string' ? new Source(given) : given;
  if (source.body.length > maxDocumentChars) {
    throw toGraphQLError(
      refusal(
        `The document has ${source.body.length} characters; at most ${maxDocumentChars} are allowed. Send values as variables.`,
      ),
    );
  }
  requireSane(source);
  return parse(source, { maxTokens: MAX_TOKENS });
}

/** Goes through the document once, before the parser does: how deep it is, how long it and its names are. @throws GraphQLError */
function requireSane(source: Source): void {
  const lexer = new Lexer(source);
  let open = 0;
  // Whatever lies beyond is refused by the parser.
  for (let count = 0; count <= MAX_TOKENS; count++) {
    const { kind, start, end, line } = lexer.advance();
    if (line > MAX_LINES) throw toGraphQLError(refusal(`The document has more than ${MAX_LINES} lines.`));
    switch (kind) {
      case TokenKind.EOF:
        return;
      case TokenKind.NAME:
        if (end - start > MAX_NAME_CHARS)
          throw toGraphQLError(
            refusal(`A name in the document is longer than ${MAX_NAME_CHARS} characters.`),
          );
        break;
      case TokenKind.BRACE_L:
      case TokenKind.BRACKET_L:
      case TokenKind.PAREN_L:
        open += 1;
        break;
      case TokenKind.BRACE_R:
      case TokenKind.BRACKET_R:
      case TokenKind.PAREN_R:
        open -= 1;
    }
    if (open > MAX_OPEN_BRACKETS) {
      throw toGraphQLError(
        refusal(`The document has more than ${MAX_OPEN_BRACKETS} brackets inside each other.`),
      );
    }
  }
}

/**
 * Before validation: nobody has a long document validated without credentials.
 * @throws AppError `unauthenticated` where it asks for data, else `invalid`
 */
export function requireShortDocument(
  ctx: GraphContext,
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
): void {
  if (ctx.actor.kind !== 'anonymous' || (document.tokenCount ?? 0) <= MAX_ANONYMOUS_TOKENS) return;
  const operation = getOperationAST(document, operationName);
  if (operation != null) requireCaller(ctx, schema, document, operation);
  throw refusal(`Without credentials a document may have ${MAX_ANONYMOUS_TOKENS} tokens at most.`);
}

/**
 * Weighs an operation for the limits on data and on the schema.
 * @returns how many values its answer may have at most
 * @throws AppError `invalid` for an operation beyond the limits
 */
export function requireWithinLimits(
  { maxQueryDepth, maxQueryCost }: Limits,
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): number {
  const { depth, rows, values } = weigh(schema, document, operation, variables);
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
