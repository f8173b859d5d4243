// What is decided of an operation on its way through Yoga: whether its document is validated at all, who may see data, how much
// may be asked for and answered, and what a client is told of failures.
import { GraphQLError, getOperationAST, type Source, validate } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Limits } from '../config/config.ts';
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { requireCaller } from './access.ts';
import { AnswerTooLarge, limitExecution } from './answer-size.ts';
import type { GraphContext } from './context.ts';
import { rootCause, toGraphQLError, toPublicError } from './errors.ts';
import { SMALL_ANSWER_BYTES, SMALL_ANSWER_VALUES, type Turns, waitForTurn } from './large-answers.ts';
import { parseWithinLimits, requireShortDocument, requireWithinLimits } from './limits.ts';
import { schema } from './schema.ts';

/** So many mistakes in a document are told at once: each is found, located and written. */
const MAX_MISTAKES = 20;

/** Before anything is known of the operation. */
export function documentLimits({ config: { limits } }: App): Plugin<GraphContext> {
  return {
    onParse({ setParseFn }) {
      setParseFn((source: string | Source) => parseWithinLimits(source, limits));
    },
    onValidate({ params: { documentAST }, context, setValidationFn }) {
      setValidationFn((of, document, rules) => validate(of, document, rules, { maxErrors: MAX_MISTAKES }));
      try {
        requireShortDocument(context, schema, documentAST, context.params.operationName);
      } catch (error) {
        throw toGraphQLError(error);
      }
    },
  };
}

/** After validation, before anything runs: who may see data at all, and how much may be asked for. */
export function policy({ config: { limits } }: App, turns: Turns): Plugin<GraphContext> {
  return {
    async onExecute({ args }) {
      const { document, operationName, contextValue, variableValues } = args;
      const operation = getOperationAST(document, operationName);
      if (operation == null) return;
      const { outcome } = contextValue;
      try {
        requireCaller(contextValue, schema, document, operation);
        if (outcome.refusal !== null) throw outcome.refusal;
        const values = requireWithinLimits(limits, schema, document, operation, variableValues ?? {});
        if (values > SMALL_ANSWER_VALUES) await waitForTurn(turns, contextValue);
        outcome.isRead = operation.operation === 'query';
        // A change cannot be taken back when its answer turns out large.
        if (outcome.isRead) limitExecution(args, maxBytes(limits, outcome.turn !== null), contextValue);
        outcome.accepted = { document, operation };
      } catch (error) {
        // Yoga takes anything with a property `errors`, as AppError has, for an AggregateError.
        throw toGraphQLError(error);
      }
    },
  };
}

/** An answer that turns out large is begun again, in its turn (handler.ts). */
function maxBytes({ maxAnswerBytes }: Limits, hasTurn: boolean): number {
  return hasTurn ? maxAnswerBytes : Math.min(SMALL_ANSWER_BYTES, maxAnswerBytes);
}

/** Where an error is in the document is found by going through it: that is done for so many. */
const MAX_LOCATED = 100;

function withoutLocation({ message, path, originalError, extensions }: GraphQLError): GraphQLError {
  return new GraphQLError(message, { path, originalError, extensions });
}

/** So many errors in one answer are no help to anybody. */
const MAX_ERRORS = 1_000;

/** The last step before the answer is written, whatever it was that failed. */
export function publicErrors(): Plugin<object, GraphContext> {
  return {
    onResultProcess({ result, setResult, serverContext }) {
      if (!('errors' in result) || result.errors === undefined) return;
      serverContext.outcome.accepted = null;
      const refusal = serverContext.outcome.isRead ? refusalOfAll(result.errors) : null;
      if (refusal !== null) {
        setResult({ errors: [toPublicError(refusal, serverContext, false)] });
        return;
      }
      const answered = 'data' in result && result.data != null;
      const errors = result.errors.map((error, index) =>
        toPublicError(index < MAX_LOCATED ? error : withoutLocation(error), serverContext, answered),
      );
      setResult({ ...result, errors });
    },
  };
}

/** What is said in place of the answer, where there is too much of it. */
function refusalOfAll(errors: readonly Error[]): AppError | null {
  if (errors.length > MAX_ERRORS)
    return new AppError('invalid', `The operation fails in more than ${MAX_ERRORS} places.`);
  const causes = errors.map(rootCause);
  return causes.find((cause) => cause instanceof AnswerTooLarge) ?? null;
}
