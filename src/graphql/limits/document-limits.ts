// Limits on the text of a GraphQL document: length, lines, tokens, names and nesting. They are checked during parsing, because validation
// takes more than linear time.
import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  Lexer,
  parse,
  Source,
  type Token,
  TokenKind,
} from 'graphql';
import type { Limits } from '../../config/limits.ts';
import { AppError } from '../../errors.ts';
import { requireCredentials } from '../access.ts';
import type { GraphContext } from '../context.ts';
import { toGraphQLError } from '../errors.ts';
import { limitsForAnonymous, requireDocumentCounts } from './document-counts.ts';

/** The time of validation grows with the square of the document's size. */
const MAX_TOKENS = 4_000;

/** Anonymous clients can only query the schema: the longest introspection query has 184 tokens. */
const MAX_ANONYMOUS_TOKENS = 500;

/** To locate an error, graphql-js scans the document for line breaks from its start. */
const MAX_LINES = 4_000;

/** A response key is repeated with every value, and a name in every error message about it. */
const MAX_NAME_CHARS = 128;

/** The parser recurses once for each open bracket, and error messages print what the brackets enclose. */
const MAX_OPEN_BRACKETS = 200;

/** @throws GraphQLError for a syntax error, a document that is too long, or one that is nested too deep */
export function parseWithinLimits(document: string | Source, { maxDocumentChars }: Limits): DocumentNode {
  const source = typeof document === 'string' ? new Source(document) : document;
  if (source.body.length > maxDocumentChars) {
    throw refusal(
      `The document has ${source.body.length} characters. It can have at most ${maxDocumentChars}; send values as variables.`,
    );
  }
  return parse(source, { maxTokens: MAX_TOKENS, lexer: new LimitedLexer(source) });
}

/** Refuses too many lines, long names and deep nesting during parsing, in linear time. */
class LimitedLexer extends Lexer {
  private open = 0;

  /** @throws GraphQLError */
  override advance(): Token {
    const token = super.advance();
    const { kind, start, end, line } = token;
    if (line > MAX_LINES) throw refusal(`The document has more than ${MAX_LINES} lines.`);
    switch (kind) {
      case TokenKind.NAME:
        if (end - start > MAX_NAME_CHARS)
          throw refusal(`A name in the document is longer than ${MAX_NAME_CHARS} characters.`);
        break;
      case TokenKind.BRACE_L:
      case TokenKind.BRACKET_L:
      case TokenKind.PAREN_L:
        this.open += 1;
        break;
      case TokenKind.BRACE_R:
      case TokenKind.BRACKET_R:
      case TokenKind.PAREN_R:
        this.open -= 1;
    }
    if (this.open > MAX_OPEN_BRACKETS)
      throw refusal(`The document has more than ${MAX_OPEN_BRACKETS} brackets inside each other.`);
    return token;
  }
}

/**
 * Checks a document before it is validated. The limits for anonymous clients are lower.
 * @returns whether a fragment spreads itself
 * @throws AppError `unauthenticated` when an anonymous client's operation selects data, otherwise `invalid`
 */
export function requireSmallDocument(
  ctx: GraphContext,
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
): { readonly hasCycle: boolean } {
  const { limits } = ctx.config;
  if (ctx.actor.kind !== 'anonymous') return requireDocumentCounts(document, limits);
  try {
    if ((document.tokenCount ?? 0) > MAX_ANONYMOUS_TOKENS)
      throw new AppError(
        'invalid',
        `Without credentials a document can have at most ${MAX_ANONYMOUS_TOKENS} tokens.`,
      );
    return requireDocumentCounts(document, limitsForAnonymous(limits));
  } catch (error) {
    const operation = getOperationAST(document, operationName);
    if (operation != null) requireCredentials(ctx, schema, document, operation);
    throw error;
  }
}

function refusal(message: string): Error {
  return toGraphQLError(new AppError('invalid', message));
}
