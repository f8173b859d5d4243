// The short lane for operations that Yoga has parsed, validated and answered before: the same bytes, made by compiled
// functions. An operation enters it with its first whole answer, whose headers it keeps. Whatever is out of the
// ordinary, an error first of all, is Yoga's: the lane then gives no answer, and Yoga runs the operation in full.
// Operations here only read, so running one twice changes nothing.
import {
  type DocumentNode,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Limits } from '../config.ts';
import type { Reply } from '../http.ts';
import { type CompiledOperation, compileOperation } from './compile.ts';
import type { GraphContext } from './context.ts';
import { requireWithinLimits } from './limits.ts';
import { hasVariableSizes } from './weights.ts';

const MAX_OPERATIONS = 1_000;
const MAX_SOURCE_CHARS = 20_000;

/** What Yoga worked out of a request's document on the way to its answer. */
export interface Accepted {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

interface Entry {
  readonly operation: OperationDefinitionNode;
  readonly document: DocumentNode;
  readonly compiled: CompiledOperation;
  readonly operationName: string | null;
  /** Whether each request's variables decide how much it asks for. */
  readonly hasVariableSizes: boolean;
  /** The headers of a whole answer, by what the request said it accepts. */
  readonly headers: Map<string, Readonly<Record<string, string>>>;
  /** How often in a row the lane could not answer it. */
  misses: number;
}

/** A request's JSON as far as the lane understands it. */
export interface Params {
  readonly query: string;
  readonly variables: Record<string, unknown>;
  readonly operationName: string | null;
}

export interface Lane {
  /** The answer to an operation that is known, or null when Yoga has to answer. */
  answer(params: Params, accept: string, ctx: GraphContext): Promise<Reply | null>;
  /** Takes an operation in, after Yoga's answer to it. */
  learn(params: Params, accept: string, accepted: Accepted, response: Response): void;
}

/** A lane for one schema; it knows the most recently asked operations. */
export function createLane(schema: GraphQLSchema, limits: Limits): Lane {
  const entries = new LRUCache<string, Entry | { compiled: null }>({ max: MAX_OPERATIONS });

  return {
    async answer(params, accept, ctx) {
      const entry = entries.get(keyOf(params));
      if (entry === undefined || entry.compiled === null || ctx.actor.kind === 'anonymous') return null;
      // The same key may be put together of another name and text.
      if (entry.operationName !== params.operationName) return null;
      const headers = entry.headers.get(accept);
      if (headers === undefined) return null;
      // Whoever fails all the time would have it run twice each time.
      if (entry.misses >= MAX_MISSES) return null;
      const { document, operation, compiled } = entry;
      try {
        const { variableValues } = getVariableValues(
          schema,
          operation.variableDefinitions ?? [],
          params.variables,
        );
        if (variableValues === undefined) return null;
        if (entry.hasVariableSizes)
          requireWithinLimits(limits, schema, document, operation, params.variables);
        const body = await compiled(ctx, variableValues);
        entry.misses = 0;
        return { status: 200, headers, body };
      } catch {
        entry.misses += 1;
        return null;
      }
    },
    learn(params, accept, { document, operation }, response) {
      // Streams have the same status, and are Yoga's.
      if (params.query.length > MAX_SOURCE_CHARS || !isJson(response)) return;
      const key = keyOf(params);
      let entry = entries.get(key);
      if (entry === undefined) {
        const compiled = compileOperation(schema, document, operation);
        const whole = {
          document,
          operation,
          operationName: params.operationName,
          hasVariableSizes: hasVariableSizes(document),
          headers: new Map(),
          misses: 0,
        };
        entry = compiled === null ? { compiled } : { ...whole, compiled };
        entries.set(key, entry);
      }
      if (entry.compiled === null) return;
      entry.misses = 0;
      const [oldest] = entry.headers.keys();
      if (oldest !== undefined && entry.headers.size >= MAX_ACCEPTS) entry.headers.delete(oldest);
      entry.headers.set(accept, headersOf(response));
    },
  };
}

/** After so many misses, the lane leaves an operation to Yoga until Yoga gives it a whole answer again. */
const MAX_MISSES = 100;

/** Clients say the same thing every time; more different ones than this are not worth the memory. */
const MAX_ACCEPTS = 8;

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
