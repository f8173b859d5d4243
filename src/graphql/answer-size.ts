// How large the answer to one operation may get: checked while the answer is made, whoever makes it.
import { defaultFieldResolver, type GraphQLFieldResolver } from 'graphql';
import { AppError } from '../errors.ts';
import type { GraphContext } from './context.ts';
import { toGraphQLError } from './errors.ts';

/** The answer would have been larger than is allowed. */
export class AnswerTooLarge extends AppError {
  constructor(maxBytes: number) {
    super(
      'invalid',
      `The answer is larger than ${maxBytes} bytes, which is the most that is allowed. Ask for smaller pages or fewer fields.`,
    );
  }
}

/** What a number, a boolean or null takes. */
const SMALL_BYTES = 16;

/**
 * For the executor, which makes an object of the whole answer before any of it is written: counts what fields give that have no
 * resolver of their own, which are those that show a column, and ends the execution when that is too much. How many values other fields
 * give is limited before (limits.ts). The execution ends with the request as well.
 */
export function limitExecution(args: object, maxBytes: number, { outcome, signal }: GraphContext): void {
  const abort = new AbortController();
  let bytes = 0;
  const fieldResolver: GraphQLFieldResolver<unknown, GraphContext> = (source, given, ctx, info) => {
    const value: unknown = defaultFieldResolver(source, given, ctx, info);
    bytes += String(info.path.key).length + sizeOf(value);
    if (bytes > maxBytes) {
      outcome.isLarge = true;
      abort.abort(toGraphQLError(new AnswerTooLarge(maxBytes)));
    }
    return value;
  };
  Object.assign(args, { fieldResolver, signal: AbortSignal.any([abort.signal, signal]) });
}

/** About as many bytes as the value has as JSON; objects of the schema's types are counted by their fields. */
function sizeOf(value: unknown): number {
  const isText = typeof value === 'string' || isPlain(value) || isListOfValues(value);
  return isText ? Buffer.byteLength(JSON.stringify(value, bigintAsText)) : SMALL_BYTES;
}

/** Values of the scalar JSON; rows have a class. */
function isPlain(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function isListOfValues(value: unknown): boolean {
  return Array.isArray(value) && typeof value[0] !== 'object';
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
