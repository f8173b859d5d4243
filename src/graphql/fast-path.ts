// The fast path for operations that Yoga has parsed, validated and answered before: the same bytes, made by compiled
// functions. An operation enters it with its first whole answer, whose headers it keeps. Whatever is out of the
// ordinary, an error first of all, is Yoga's: the fast path then gives no answer, and Yoga runs the operation in full.
// Operations here only read, so running one twice changes nothing.
import {
  type DocumentNode,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import type { Limits } from '../config/config.ts';
import type { Reply } from '../reply.ts';
import { SharedCache } from '../shared-cache.ts';
import { AnswerTooLarge } from './answer-size.ts';
import { type CompiledOperation, compileOperation } from './compile.ts';
import type { VariableValues } from './complete.ts';
import type { Accepted, GraphContext } from './context.ts';
import { MAX_KEPT_CHARS, sizeOfDocument } from './document-cache.ts';
import { type FallbackReason, type Fallbacks, reasonOf } from './fallbacks.ts';
import { SMALL_ANSWER_BYTES, type Turns, toBody, waitForTurn } from './large-answers.ts';
import { requireWithinLimits } from './limits.ts';
import { hasVariableSizes } from './weights.ts';

const MAX_BYTES = 64 * 1024 * 1024;
/** Measured: the functions that a document is compiled to take about as much as its syntax tree. */
const COMPILED = 2;

interface Entry {
  readonly operation: OperationDefinitionNode;
  readonly document: DocumentNode;
  /** null: left to Yoga for good. */
  readonly compiled: CompiledOperation | null;
  readonly operationName: string | null;
  /** Whether each request's variables decide how much it asks for. */
  readonly hasVariableSizes: boolean;
  /** The headers of a whole answer, by what the request said it accepts. */
  readonly headers: Map<string, Readonly<Record<string, string>>>;
  /** How often in a row the fast path could not answer it. */
  misses: number;
  /** Why it could not the last time. */
  lastMiss: FallbackReason;
}

/** A request's JSON as far as the fast path understands it. */
export interface Params {
  readonly query: string;
  readonly variables: Record<string, unknown>;
  readonly operationName: string | null;
}

export interface FastPath {
  /** The answer to an operation that is known, or null when Yoga has to answer. */
  answer(params: Params, accept: string, ctx: GraphContext): Promise<Reply | null>;
  /** Takes an operation in, after Yoga's answer to it. */
  remember(params: Params, accept: string, accepted: Accepted, response: Response, teamId: bigint): void;
}

interface FastPathOptions {
  readonly schema: GraphQLSchema;
  readonly limits: Limits;
  readonly turns: Turns;
  readonly fallbacks: Fallbacks;
}

/** A fast path for one schema; it knows the most recently asked operations. */
export function createFastPath({ schema, limits, turns, fallbacks }: FastPathOptions): FastPath {
  const entries = new SharedCache<Entry>({ max: MAX_BYTES });

  return {
    async answer(params, accept, ctx) {
      if (ctx.actor.kind === 'anonymous') return null;
      const entry = entries.get(keyOf(params), ctx.actor.tenancy.teamId);
      if (entry === undefined || entry.compiled === null) return null;
      // The same key may be put together of another name and text.
      if (entry.operationName !== params.operationName) return null;
      const headers = entry.headers.get(accept);
      if (headers === undefined) return null;
      // Whoever fails all the time would have it run twice each time.
      if (entry.misses >= MAX_MISSES) {
        fallbacks.count(entry.lastMiss, params.operationName);
        return null;
      }
      const { document, operation, compiled } = entry;
      const { variableValues } = getVariableValues(
        schema,
        operation.variableDefinitions ?? [],
        params.variables,
        { maxErrors: 1 },
      );
      if (variableValues === undefined) {
        fallbacks.count('variables', params.operationName);
        return null;
      }
      try {
        if (entry.hasVariableSizes)
          requireWithinLimits(limits, schema, document, operation, params.variables);
        const body = await run(compiled, ctx, variableValues);
        entry.misses = 0;
        return { status: 200, headers, body: toBody(body, ctx) };
      } catch (error) {
        // Nobody waits for what Yoga would answer.
        if (ctx.signal.aborted) {
          ctx.outcome.turn?.();
          throw ctx.signal.reason;
        }
        // Running it again would come to the same.
        if (error instanceof AnswerTooLarge) ctx.outcome.refusal = error;
        // It was not the operation's fault that there was no turn for it.
        if (ctx.outcome.refusal === null) entry.misses += 1;
        entry.lastMiss = reasonOf(error);
        fallbacks.count(entry.lastMiss, params.operationName, error);
        return null;
      }
    },
    remember(params, accept, { document, operation }, response, teamId) {
      // Streams have the same status, and are Yoga's.
      if (params.query.length > MAX_KEPT_CHARS || accept.length > MAX_ACCEPT_CHARS || !isJson(response))
        return;
      const key = keyOf(params);
      let entry = entries.get(key, teamId);
      if (entry === undefined) {
        entry = {
          document,
          operation,
          compiled: compileOperation(schema, document, operation),
          operationName: params.operationName,
          hasVariableSizes: hasVariableSizes(document),
          headers: new Map(),
          misses: 0,
          lastMiss: 'failed',
        };
        entries.add(key, teamId, entry, COMPILED * sizeOfDocument(document));
      }
      entry.misses = 0;
      const [oldest] = entry.headers.keys();
      if (oldest !== undefined && entry.headers.size >= MAX_ACCEPTS) entry.headers.delete(oldest);
      entry.headers.set(accept, headersOf(response));
    },
  };

  /** An answer that turns out large is begun again, in its turn. */
  async function run(
    compiled: CompiledOperation,
    ctx: GraphContext,
    variables: VariableValues,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { maxAnswerBytes } = limits;
    try {
      return await compiled(ctx, variables, Math.min(SMALL_ANSWER_BYTES, maxAnswerBytes));
    } catch (error) {
      if (!(error instanceof AnswerTooLarge)) throw error;
    }
    await waitForTurn(turns, ctx);
    return compiled(ctx, variables, maxAnswerBytes);
  }
}

/** After so many misses, the fast path leaves an operation to Yoga until Yoga gives it a whole answer again. */
const MAX_MISSES = 100;

/** Clients say the same thing every time; more different ones than this are not worth the memory. */
const MAX_ACCEPTS = 8;
const MAX_ACCEPT_CHARS = 200;

function keyOf({ operationName, query }: Params): string {
  return operationName === null ? query : `${operationName}\n${query}`;
}

function isJson({ headers }: Response): boolean {
  return /^application\/(graphql-response\+)?json\b/.test(headers.get('content-type') ?? '');
}

function headersOf(response: Response): Record<string, string> {
  const headers = Object.fromEntries(response.headers);
  delete headers['content-length'];
  return headers;
}
