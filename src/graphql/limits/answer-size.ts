// Limits the size of the answer to one operation while it is executed.
import { defaultFieldResolver, type GraphQLFieldResolver } from 'graphql';
import { AppError } from '../../errors.ts';
import { bigintAsText } from '../../rows/json.ts';
import type { GraphContext } from '../context.ts';
import { toGraphQLError } from '../errors.ts';

/** Thrown when the answer exceeds the allowed number of bytes. */
export class AnswerTooLarge extends AppError {
  constructor(maxBytes: number) {
    super(
      'invalid',
      `The answer is larger than ${maxBytes} bytes, which is the most that is allowed. Ask for smaller pages or fewer fields.`,
    );
  }
}

/** The size assumed for a number, a boolean or null. */
const SMALL_BYTES = 16;

/**
 * Limits the answer of graphql-js's executor, which holds the whole answer in memory before it is serialized. Counts the bytes of fields
 * without a resolver, which expose columns, and aborts the execution above `maxBytes`. The number of other values is limited already
 * (operation-limits.ts). Aborting the request aborts the execution as well.
 * @param args the executor's arguments, which this function modifies
 */
export function limitAnswerSize(
  args: object,
  maxBytes: number,
  { state, facts, signal }: GraphContext,
): void {
  const abort = new AbortController();
  let bytes = 0;
  const fieldResolver: GraphQLFieldResolver<unknown, GraphContext> = (source, fieldArgs, ctx, info) => {
    const value: unknown = defaultFieldResolver(source, fieldArgs, ctx, info);
    bytes += String(info.path.key).length + sizeOf(value);
    facts.answerBytes = bytes;
    if (bytes > maxBytes) {
      state.needsSlot = true;
      abort.abort(toGraphQLError(new AnswerTooLarge(maxBytes)));
    }
    return value;
  };
  Object.assign(args, { fieldResolver, signal: AbortSignal.any([abort.signal, signal]) });
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
