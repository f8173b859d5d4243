// Yoga plugins that enforce the limits of an operation and format its errors: one for the document, two before execution, two for the
// result.
import { type DocumentNode, getOperationAST, type Source } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Limits } from '../config/limits.ts';
import type { App } from '../context.ts';
import { changeWithToken, readFromReplicas } from '../services/reading/consistency.ts';
import { requireCredentials } from './access.ts';
import type { GraphContext } from './context.ts';
import { endpointOf } from './endpoint.ts';
import { mustHideSuggestions, toGraphQLError } from './errors.ts';
import { limitAnswerSize } from './limits/answer-size.ts';
import { parseWithinLimits, requireSmallDocument } from './limits/document-limits.ts';
import {
  type AnswerSlots,
  acquireSlot,
  SMALL_ANSWER_BYTES,
  SMALL_ANSWER_VALUES,
} from './limits/large-answers.ts';
import { Pace } from './limits/long-work.ts';
import { requireWithinLimits } from './limits/operation-limits.ts';
import {
  chargeOperation,
  chargeRefusedFields,
  costOf,
  PARSED_TOKENS_PER_POINT,
  pointsOfOperation,
  VALIDATED_TOKENS_PER_POINT,
} from './limits/points.ts';
import { toPublicErrors } from './public-errors.ts';
import { schema } from './schema.ts';
import { requireOperation, validateDocument } from './validate.ts';

/** Enforces the limits on a document before it is parsed and validated. */
export function documentLimits({ config: { limits, introspection } }: App): Plugin<GraphContext> {
  return {
    onParse({ context, setParseFn }) {
      setParseFn((source: string | Source) => {
        const document = parseWithinLimits(source, limits);
        context.facts.owed += Math.floor((document.tokenCount ?? 0) / PARSED_TOKENS_PER_POINT);
        return document;
      });
      // Must precede Yoga's own check, whose error does not say what is wrong.
      return ({ result }) => {
        if (result instanceof Error) return;
        context.state.document = result as DocumentNode;
        requireOperation(result as DocumentNode, context.params.operationName);
      };
    },
    onValidate({ context, setValidationFn }) {
      setValidationFn((of, document) => {
        try {
          const { operationName } = context.params;
          const { hasCycle } = requireSmallDocument(context, of, document, operationName);
          context.facts.owed += Math.floor((document.tokenCount ?? 0) / VALIDATED_TOKENS_PER_POINT);
          const hideSuggestions = mustHideSuggestions(context);
          return validateDocument(of, document, { hasCycle, introspection, hideSuggestions });
        } catch (error) {
          throw toGraphQLError(error);
        }
      });
    },
  };
}

/** Runs before a valid operation is executed: requires credentials for data, enforces the limits, and acquires a slot if needed. */
export function operationLimits({ config: { limits } }: App, slots: AnswerSlots): Plugin<GraphContext> {
  return {
    async onExecute({ args }) {
      const { document, operationName, contextValue, variableValues } = args;
      // Like in validation, for errors about the values of variables.
      Object.assign(args, { hideSuggestions: mustHideSuggestions(contextValue) });
      const operation = getOperationAST(document, operationName);
      if (operation == null) return;
      const { state, facts } = contextValue;
      facts.endpoint = endpointOf(document, operation);
      facts.operationName = operation.name?.value ?? null;
      try {
        requireCredentials(contextValue, schema, document, operation);
        if (state.refusal !== null) throw state.refusal;
        const { rows, reads, values, schemaChars } = requireWithinLimits(
          limits,
          schema,
          document,
          operation,
          variableValues ?? {},
        );
        await chargeOperation(
          contextValue,
          rows,
          pointsOfOperation(document, operation, { rows, reads, schemaChars }),
        );
        if (values > SMALL_ANSWER_VALUES) await acquireSlot(slots, contextValue);
        state.isQuery = operation.operation === 'query';
        state.variables = variableValues ?? {};
        state.longLists.begin();
        state.pace = new Pace();
        state.validOperation = { document, operation, rows, reads };
        // A mutation whose answer turns out to be too large cannot be undone.
        if (!state.isQuery) return;
        const most = maxBytes(limits, state.releaseSlot !== null);
        const refusalOf = limitAnswerSize(args, most, contextValue);
        return {
          onExecuteDone({ setResult }) {
            const refusal = refusalOf();
            if (refusal !== null) setResult({ errors: [refusal] });
          },
        };
      } catch (error) {
        // Yoga treats anything with a property `errors`, such as an AppError, as an AggregateError.
        throw toGraphQLError(error);
      }
    },
  };
}

/** Without a slot only a small answer is allowed. For a larger one the handler executes the operation again with a slot. */
function maxBytes({ maxAnswerBytes }: Limits, hasSlot: boolean): number {
  return hasSlot ? maxAnswerBytes : Math.min(SMALL_ANSWER_BYTES, maxAnswerBytes);
}

/**
 * Read-your-writes with read replicas: a replica may answer queries, and mutations store the position that later reads need. It must come
 * after the plugins that refuse operations.
 */
export function consistency(): Plugin<GraphContext> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const { document, operationName, contextValue } = args;
      const operation = getOperationAST(document, operationName);
      if (operation?.operation === 'query') readFromReplicas(contextValue, contextValue.state.position);
      if (operation?.operation !== 'mutation') return;
      setExecuteFn(async (given) => {
        const { result, token } = await changeWithToken(contextValue, async () => executeFn(given));
        contextValue.state.consistencyToken = token;
        return result;
      });
    },
  };
}

/** Replaces the errors of a result by their public form. */
export function publicErrors(): Plugin<object, GraphContext> {
  return {
    onResultProcess({ result, setResult, serverContext }) {
      chargeRefusedFields(serverContext, serverContext.state.refusedChanges);
      serverContext.state.refusedChanges = 0;
      if (!('errors' in result) || result.errors === undefined) return;
      const hasData = 'data' in result && result.data != null;
      const { errors, replaceData } = toPublicErrors(result.errors, serverContext, hasData);
      setResult(replaceData ? { errors } : { ...result, errors });
    },
  };
}

/** Adds extensions to the answer: the consistency token of a change, and the cost if the request asks for it. */
export function extensions(): Plugin<object, GraphContext> {
  return {
    onResultProcess({ result, setResult, serverContext }) {
      const { consistencyToken } = serverContext.state;
      const cost = costOf(serverContext);
      const isAnswer = !(Symbol.asyncIterator in result || Array.isArray(result));
      if (!isAnswer || (cost === null && consistencyToken === null)) return;
      const own = { ...(consistencyToken !== null && { consistencyToken }), ...(cost && { cost }) };
      setResult({ ...result, extensions: { ...result.extensions, ...own } });
    },
  };
}
