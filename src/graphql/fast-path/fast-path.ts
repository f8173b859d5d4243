// The fast path: a cache of compiled queries. A query is compiled and cached after Yoga has executed it. From then on the compiled form
// produces the same bytes and headers, refusals included. If anything else fails, Yoga executes the query again, which is safe because
// queries change nothing.
import {
  type DocumentNode,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import { SharedCache } from '../../concurrency/shared-cache.ts';
import type { Limits } from '../../config/limits.ts';
import type { Reply } from '../../messages/reply.ts';
import { readFromReplicas } from '../../services/reading/consistency.ts';
import { type Metrics, noMetrics } from '../../telemetry/metrics.ts';
import type { Endpoint } from '../../telemetry/request-facts.ts';
import type { GraphContext, ValidOperation } from '../context.ts';
import { MAX_CACHED_CHARS, sizeOfDocument } from '../document-cache.ts';
import { endpointOf } from '../endpoint.ts';
import { rootCause, toGraphQLError } from '../errors.ts';
import { AnswerTooLarge } from '../limits/answer-size.ts';
import { hasVariableSizes } from '../limits/cost.ts';
import {
  type AnswerSlots,
  acquireSlot,
  lengthHeader,
  SMALL_ANSWER_BYTES,
  toAnswerBody,
} from '../limits/large-answers.ts';
import { requireWithinLimits } from '../limits/operation-limits.ts';
import { chargeOperation, pointsOfReads, withCost } from '../limits/points.ts';
import type { TrustedDocument } from '../trusted-documents/request.ts';
import { type CompiledOperation, compileOperation } from './compile.ts';
import { DATA, isRefusal, type VariableValues, type WrittenAnswer } from './complete.ts';
import { type FallbackCounter, type FallbackReason, fallbackReasonOf } from './fallback-counter.ts';
import { refusedReply } from './refused-reply.ts';

/** The maximum size of the cache. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Measured: the compiled functions take about as much memory as the syntax tree. */
const SIZE_FACTOR = 2;

interface CacheEntry {
  readonly operation: OperationDefinitionNode;
  readonly document: DocumentNode;
  readonly endpoint: Endpoint;
  /** null when the operation cannot be compiled. */
  readonly compiled: CompiledOperation | null;
  readonly operationName: string | null;
  /** How much it may read; null if this depends on variables, so that it is computed for each request. */
  readonly cost: Pick<ValidOperation, 'rows' | 'reads'> | null;
  /** Yoga's response headers, by the request's Accept header. */
  readonly headers: Map<string, Readonly<Record<string, string>>>;
  /** The number of fallbacks to Yoga since the last success. */
  fallbacks: number;
  lastFallback: FallbackReason;
}

/** The parameters of a GraphQL request. */
export interface Params {
  readonly query: string;
  readonly variables: Record<string, unknown>;
  readonly operationName: string | null;
  /** The trusted document whose text is `query`, if the client named it by id. */
  readonly trusted: TrustedDocument | null;
}

export interface FastPath {
  /** Executes a cached operation. Null when Yoga must execute it. @throws the signal's reason when the request is aborted */
  execute(params: Params, accept: string, ctx: GraphContext): Promise<Reply | null>;
  /** Compiles and caches an operation. @param response Yoga's answer to it, with status 200 and without failures */
  add(params: Params, accept: string, valid: ValidOperation, response: Response, teamId: bigint): void;
}

interface FastPathOptions {
  readonly schema: GraphQLSchema;
  readonly limits: Limits;
  readonly slots: AnswerSlots;
  readonly fallbacks: FallbackCounter;
  readonly metrics?: Metrics;
}

/** A fast path for one schema, with an empty cache. */
export function createFastPath(options: FastPathOptions): FastPath {
  const { schema, limits, slots, fallbacks, metrics = noMetrics } = options;
  const cache = new SharedCache<CacheEntry>({ max: MAX_BYTES });
  /** The entries of trusted documents, by operation name: never evicted. Only valid names have an entry, so their number is bounded. */
  const pinned = new WeakMap<TrustedDocument, Map<string | null, CacheEntry>>();
  let hits = 0;
  let misses = 0;
  let found = 0;
  metrics.watch('fastPath', '', () => ({ hits, misses }));
  for (const reason of Object.keys(fallbacks.counts) as FallbackReason[])
    metrics.watch('fallbacks', reason, () => ({ operations: fallbacks.counts[reason] }));
  metrics.watch('cache', 'graphql_compiled', () => ({
    hits: found,
    misses,
    size: cache.size,
    max: MAX_BYTES,
  }));

  function entryOf(params: Params, teamId: bigint): CacheEntry | undefined {
    const { trusted, operationName } = params;
    return trusted === null ? cache.get(cacheKey(params), teamId) : pinned.get(trusted)?.get(operationName);
  }

  /** The compiled operation for a request; null if there is none and Yoga must execute it. */
  function lookUp(params: Params, accept: string, teamId: bigint) {
    const entry = entryOf(params, teamId);
    const headers = entry?.headers.get(accept);
    // Another combination of operation name and document may have the same key.
    if (entry?.compiled == null || entry.operationName !== params.operationName || headers === undefined) {
      misses += 1;
      return null;
    }
    found += 1;
    return { entry, compiled: entry.compiled, headers };
  }

  return {
    async execute(params, accept, ctx) {
      if (ctx.actor.kind === 'anonymous') return null;
      const cached = lookUp(params, accept, ctx.actor.tenancy.teamId);
      if (cached === null) return null;
      const { entry, compiled, headers } = cached;
      ctx.facts.endpoint = entry.endpoint;
      // Without this limit, an operation that always fails would be executed twice for each request.
      if (entry.fallbacks >= MAX_FALLBACKS) {
        fallbacks.count(entry.lastFallback, params.operationName);
        return null;
      }
      const { document, operation } = entry;
      ctx.state.document = document;
      ctx.facts.operationName = operation.name?.value ?? null;
      ctx.state.isQuery = true;
      ctx.state.variables = params.variables;
      const { variableValues } = getVariableValues(
        schema,
        operation.variableDefinitions ?? [],
        params.variables,
        { maxErrors: 1 },
      );
      // Yoga reports the errors of variables.
      if (variableValues === undefined) {
        fallbacks.count('variables', params.operationName);
        return null;
      }
      try {
        const cost = entry.cost ?? requireWithinLimits(limits, schema, document, operation, params.variables);
        await chargeOperation(ctx, cost.rows, pointsOfReads(cost));
        readFromReplicas(ctx, ctx.state.position);
        const { bytes, errors } = await run(compiled, ctx, variableValues);
        entry.fallbacks = 0;
        hits += 1;
        if (errors.length > 0) return refusedReply(errors, dataOf(bytes), headers, ctx);
        const body = withCost(bytes, ctx);
        return { status: 200, headers: { ...headers, ...lengthHeader(body) }, body: toAnswerBody(body, ctx) };
      } catch (error) {
        ctx.state.assumesParents = false;
        ctx.state.missing.clear();
        // There is no client left to receive Yoga's answer.
        if (ctx.signal.aborted) {
          ctx.state.releaseSlot?.();
          throw ctx.signal.reason;
        }
        if (isRefusal(error)) {
          entry.fallbacks = 0;
          hits += 1;
          return refusedReply([toGraphQLError(error)], null, headers, ctx);
        }
        // A refused field that is never null makes its parents null, up to the data: the full executor writes that answer.
        if (isRefusal(rootCause(toGraphQLError(error)))) return null;
        entry.fallbacks += 1;
        entry.lastFallback = fallbackReasonOf(error);
        fallbacks.count(entry.lastFallback, params.operationName, error);
        return null;
      }
    },
    add(params, accept, { document, operation, rows, reads }, response, teamId) {
      // Responses of other media types, such as event streams, are left to Yoga.
      if (accept.length > MAX_ACCEPT_CHARS || !isJson(response)) return;
      const { trusted } = params;
      if (trusted === null && params.query.length > MAX_CACHED_CHARS) return;
      let entry = entryOf(params, teamId);
      if (entry === undefined) {
        entry = {
          document,
          operation,
          endpoint: endpointOf(document, operation),
          compiled: compileOperation(schema, document, operation),
          operationName: params.operationName,
          cost: hasVariableSizes(document) ? null : { rows, reads },
          headers: new Map(),
          fallbacks: 0,
          lastFallback: 'failed',
        };
        if (trusted === null)
          cache.add(cacheKey(params), teamId, entry, SIZE_FACTOR * sizeOfDocument(document));
        else pinned.set(trusted, (pinned.get(trusted) ?? new Map()).set(params.operationName, entry));
      }
      entry.fallbacks = 0;
      const [oldest] = entry.headers.keys();
      if (oldest !== undefined && entry.headers.size >= MAX_ACCEPTS) entry.headers.delete(oldest);
      entry.headers.set(accept, headersOf(response));
    },
  };

  /** Executes without reading parents of which only lists are selected. If one of them may not exist, executes again and reads every parent. */
  async function run(
    compiled: CompiledOperation,
    ctx: GraphContext,
    variables: VariableValues,
  ): Promise<WrittenAnswer> {
    const { state } = ctx;
    state.assumesParents = true;
    const written = await runInSlot(compiled, ctx, variables);
    state.assumesParents = false;
    if (!state.mustReadParents) return written;
    ctx.loaders.clear();
    return runInSlot(compiled, ctx, variables);
  }

  /** Executes without a slot first. If the answer is too large for that, executes again with a slot. */
  async function runInSlot(
    compiled: CompiledOperation,
    ctx: GraphContext,
    variables: VariableValues,
  ): Promise<WrittenAnswer> {
    const { maxAnswerBytes } = limits;
    const { longLists } = ctx.state;
    longLists.begin();
    try {
      return await compiled(ctx, variables, Math.min(SMALL_ANSWER_BYTES, maxAnswerBytes));
    } catch (error) {
      if (!(error instanceof AnswerTooLarge)) throw error;
    }
    await acquireSlot(slots, ctx);
    longLists.begin();
    return compiled(ctx, variables, maxAnswerBytes);
  }
}

/** The bytes of the data in `{"data":...}`. */
function dataOf(bytes: WrittenAnswer['bytes']): WrittenAnswer['bytes'] {
  return bytes.subarray(DATA.length, -1);
}

/** After this many fallbacks in a row, Yoga executes the operation until it succeeds without errors again. */
const MAX_FALLBACKS = 100;

/** For how many Accept headers an entry stores response headers. Most clients always send the same one. */
const MAX_ACCEPTS = 8;
const MAX_ACCEPT_CHARS = 200;

function cacheKey({ operationName, query }: Params): string {
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
