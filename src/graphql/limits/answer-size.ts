// Limits the size of the answer to one operation while it is executed.
import { defaultFieldResolver, type GraphQLError, type GraphQLFieldResolver } from 'graphql';
import { bigintAsText } from '../../rows/json.ts';
import type { GraphContext } from '../context.ts';
import { toGraphQLError } from '../errors.ts';
import { QueryTooLarge } from './query-too-large.ts';

/** Thrown when the answer exceeds the allowed number of bytes. */
export class AnswerTooLarge extends QueryTooLarge {
  constructor(limit: number) {
    super(
      `The answer is larger than ${limit} bytes, which is the most that is allowed. Ask for smaller pages or fewer fields.`,
      { limit },
    );
  }
}

/** The size assumed for a number, a boolean or null. */
const SMALL_BYTES = 16;

/**
 * Limits the answer of the full executor, which holds the whole answer in memory before it is serialized. Counts the bytes of fields
 * without a resolver, which expose columns, and aborts the execution above `maxBytes`. operation-limits.ts limits the number of
 * other values. Aborting the request aborts the execution as well.
 * @param args the executor's arguments, which this function modifies
 * @returns the refusal once the answer is too large, even if the executor has completed it; null until then
 */
export function limitAnswerSize(
  args: object,
  maxBytes: number,
  { state, facts, signal }: GraphContext,
): () => GraphQLError | null {
  const abort = new AbortController();
  let bytes = 0;
  let refusal: GraphQLError | null = null;
  const fieldResolver: GraphQLFieldResolver<unknown, GraphContext> = (source, fieldArgs, ctx, info) => {
    const value: unknown = defaultFieldResolver(source, fieldArgs, ctx, info);
    if (refusal !== null) return value;
    bytes += String(info.path.key).length + sizeOf(value);
    facts.answerBytes = bytes;
    if (bytes > maxBytes) {
      state.needsSlot = true;
      refusal = toGraphQLError(new AnswerTooLarge(maxBytes));
      // Not within this call: the executor throws as soon as its signal is aborted, and would leave the promises of fields that it has
      // already resolved without a handler. Node.js ends the process when such a promise rejects.
      queueMicrotask(() => abort.abort(refusal));
    }
    return value;
  };
  Object.assign(args, { fieldResolver, signal: AbortSignal.any([abort.signal, signal]) });
  return () => refusal;
}

/** The approximate size of a value's JSON, in bytes. Objects of the schema's types are counted field by field instead. */
function sizeOf(value: unknown): number {
  const isVariableSize = typeof value === 'string' || isPlainObject(value) || isListOfValues(value);
  return isVariableSize ? Buffer.byteLength(JSON.stringify(value, bigintAsText)) : SMALL_BYTES;
}

/** Whether a value belongs to the scalar JSON. Rows are not plain objects: they have a class. */
function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function isListOfValues(value: unknown): boolean {
  return Array.isArray(value) && typeof value[0] !== 'object';
}
