// Value completion for compiled operations (GraphQL §6.4.3): functions that write a value as JSON. A promise leaves a gap in the output,
// which is filled when the promise is fulfilled. A refused field becomes null, with an error that contains its path (§6.4.4).
import {
  type FieldNode,
  GraphQLError,
  type GraphQLLeafType,
  type getVariableValues,
  locatedError,
} from 'graphql';
import { AppError } from '../../errors.ts';
import { ByteWriter } from '../../rows/byte-writer.ts';
import { layoutOf } from '../../rows/columns.ts';
import type { GraphContext } from '../context.ts';
import { AnswerTooLarge } from '../limits/answer-size.ts';
import { Slices } from './slices.ts';

/** Writes a value as JSON into the execution's output. */
export type Write = (value: unknown, execution: Execution) => void;

/** A field of the operation, or the items of its list. It determines the path of an error, and which value the error makes null. */
export interface Position {
  /** The enclosing field or list; null at the root. */
  readonly parent: Position | null;
  /** The response key of a field; null for the items of the enclosing list. */
  readonly key: string | null;
  readonly nodes: readonly FieldNode[];
  readonly isNullable: boolean;
  /** The number of enclosing lists. */
  readonly depth: number;
}

/** The beginning of an answer. */
export const DATA = Buffer.from('{"data":');

/** The output of a compiled operation: the bytes `{"data":...}`, and the errors of refused fields. */
export interface WrittenAnswer {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly errors: readonly GraphQLError[];
}

/** Variable values as graphql's getVariableValues has coerced them. */
export type VariableValues = Extract<
  ReturnType<typeof getVariableValues>,
  { variableValues: unknown }
>['variableValues'];

/** One buffer for all executions: each chunk is written synchronously, and copied before the next one begins. */
const out = new ByteWriter();
/** The same for answers that are assembled from chunks. */
const answer = new ByteWriter();

/** One execution of a compiled operation: its context and variables, its output, and its pending promises. */
export class Execution {
  readonly ctx: GraphContext;
  readonly variables: VariableValues;
  readonly out = out;
  /** The errors of refused fields, in the order in which they occurred. */
  private readonly errors: GraphQLError[] = [];
  private readonly rootChunk = new Chunk([]);
  /** The chunk that is being written. */
  private chunk = this.rootChunk;
  private pending = 0;
  /** Whether the execution was given up: what is still pending is not written. */
  private hasFailed = false;
  private finish: (answer: Buffer<ArrayBuffer>) => void = () => {};
  private fail: (error: unknown) => void = () => {};

  /** The number of bytes that may still be written. */
  private bytesLeft: number;
  private readonly maxBytes: number;
  private readonly slices = new Slices();

  /** @param maxBytes a larger answer rejects with AnswerTooLarge */
  constructor(ctx: GraphContext, variables: VariableValues, maxBytes: number) {
    this.ctx = ctx;
    this.variables = variables;
    this.bytesLeft = maxBytes;
    this.maxBytes = maxBytes;
  }

  /** @throws AnswerTooLarge when the answer has exceeded the limit */
  requireBytesLeft(): void {
    if (out.length > this.bytesLeft) throw new AnswerTooLarge(this.maxBytes);
  }

  /** Leaves a gap in the current chunk. When the promise settles, its value is written into a chunk that fills the gap. */
  defer(promise: Promise<unknown>, write: Write, position: Position): void {
    const chunk = this.chunk.leaveGap(out.length, position.depth);
    this.pending += 1;
    promise.then(
      (value) => {
        if (this.isSliceFull()) this.slices.inNextTick(() => this.fill(chunk, value, write));
        else this.fill(chunk, value, write);
      },
      (error: unknown) => this.fill(chunk, null, (_none, execution) => execution.refuse(error, position)),
    );
  }

  /** Records which item of a list is being written. @param depth the number of enclosing lists, including this one */
  beginItem(depth: number, index: number): void {
    this.chunk.indices[depth - 1] = index;
  }

  /**
   * Writes null for a refused field and keeps the error.
   * @throws the located error when the field is non-null, for `writeOrNull` to catch; errors other than refusals unchanged
   */
  refuse(thrown: unknown, position: Position): void {
    if (!isRefusal(thrown)) throw thrown;
    const error = locatedError(thrown, [...position.nodes], pathOf(position, this.chunk.indices));
    if (!position.isNullable) throw error;
    this.errors.push(error);
    out.add(NULL);
  }

  /** Writes a value; writes null instead if a non-null field in it is refused. */
  writeOrNull(value: unknown, write: Write): void {
    const { chunk } = this;
    const start = out.length;
    const gaps = chunk.gapCount;
    try {
      write(value, this);
    } catch (error) {
      if (!isLocated(error)) throw error;
      this.pending -= chunk.dropGaps(gaps);
      out.truncate(start);
      this.errors.push(error);
      out.add(NULL);
    }
  }

  /** Whether enough was written in this tick of the event loop. */
  isSliceFull(): boolean {
    return this.slices.isFull(out.length);
  }

  /** Leaves a gap in the current chunk and fills it in a later tick of the event loop. */
  deferToNextTick(write: Write, depth: number): void {
    const chunk = this.chunk.leaveGap(out.length, depth);
    this.pending += 1;
    this.slices.inNextTick(() => this.fill(chunk, undefined, write));
  }

  private fill(chunk: Chunk, value: unknown, write: Write): void {
    if (chunk.isDropped || this.hasFailed) {
      ignoreRejections(value);
      return;
    }
    try {
      this.ctx.signal.throwIfAborted();
      this.writeChunk(chunk, requirePlain(value), write, 1);
      this.pending -= 1;
      if (this.pending === 0) this.finish(this.assemble());
    } catch (error) {
      ignoreRejections(value);
      this.hasFailed = true;
      this.fail(error);
    }
  }

  /** Resolves to the output once every gap is filled. Rejects with the first failure other than a refusal of a nullable field. */
  async run(value: unknown, write: Write): Promise<WrittenAnswer> {
    this.writeChunk(this.rootChunk, value, write, 0);
    if (this.pending === 0) return { bytes: this.assemble(), errors: this.errors };
    const bytes = await new Promise<Buffer<ArrayBuffer>>((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
    });
    return { bytes, errors: this.errors };
  }

  /** The answer, once every gap is filled. */
  private assemble(): Buffer<ArrayBuffer> {
    this.rootChunk.moveTo(answer);
    const bytes = answer.toBuffer();
    answer.clear();
    return bytes;
  }

  /** @param own how many of the pending values are the chunk itself. The last chunk is assembled directly and not copied first */
  private writeChunk(chunk: Chunk, value: unknown, write: Write, own: number): void {
    out.clear();
    this.chunk = chunk;
    write(value, this);
    this.requireBytesLeft();
    this.bytesLeft -= out.length;
    this.slices.add(out.length);
    chunk.bytes = this.pending === own ? out.view() : out.toBuffer();
    out.clear();
  }
}

/** JSON that was written synchronously, with gaps for pending values. */
class Chunk {
  bytes: Buffer | null = null;
  private gaps: { readonly at: number; readonly chunk: Chunk }[] = [];
  /** The current item's index in each enclosing list, the outermost first. */
  readonly indices: number[];
  /** Whether an enclosing value became null, so that nothing more is written here. */
  isDropped = false;

  constructor(indices: number[]) {
    this.indices = indices;
  }

  get gapCount(): number {
    return this.gaps.length;
  }

  /** @param depth the number of lists that enclose the gap */
  leaveGap(at: number, depth: number): Chunk {
    const chunk = new Chunk(this.indices.slice(0, depth));
    this.gaps.push({ at, chunk });
    return chunk;
  }

  /** Drops all gaps except the first `keep`. None of the dropped ones has been filled yet. @returns the number of dropped gaps */
  dropGaps(keep: number): number {
    const dropped = this.gaps.splice(keep);
    for (const { chunk } of dropped) chunk.isDropped = true;
    return dropped.length;
  }

  /**
   * Appends the chunk, with its gaps filled, to `into`, and drops its references. Under load, chunks live long enough to be promoted to
   * V8's old generation, where what they reference would stay in memory until a full garbage collection.
   */
  moveTo(into: ByteWriter): void {
    const { bytes, gaps } = this;
    if (bytes === null) return;
    let from = 0;
    for (const { at, chunk } of gaps) {
      into.addPart(bytes, from, at);
      chunk.moveTo(into);
      from = at;
    }
    into.addPart(bytes, from, bytes.length);
    this.bytes = null;
    this.gaps = [];
  }
}

/** Thrown for anything that compiled operations do not implement. The full executor must then execute the operation. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
}

/** Whether an error is a refusal by a service. Other failures are left to the full executor. */
export function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && error.code !== 'internal' && error.code !== 'unavailable';
}

/** Whether an error already has its path, checked like in graphql-js. */
function isLocated(error: unknown): error is GraphQLError {
  return error instanceof GraphQLError && error.path !== undefined;
}

/** @param indices the current index in each enclosing list */
function pathOf(position: Position, indices: readonly number[]): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at: Position | null = position; at !== null; at = at.parent)
    path.push(at.key ?? indices[at.depth - 1] ?? 0);
  return path.reverse();
}

/** Writes the result of a resolver; if it is a promise, once it is fulfilled. */
export function completeValue(value: unknown, write: Write, execution: Execution, position: Position): void {
  // Rows are the most frequent values, so they skip the other checks.
  if (typeof value !== 'object' || value === null || layoutOf(value) !== undefined) write(value, execution);
  else if (value instanceof Promise) execution.defer(value, write, position);
  else write(requirePlain(value), execution);
}

/** Returns the value. @throws Unsupported for an Error, which graphql-js treats as thrown, and for a thenable, which it awaits */
function requirePlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error || 'then' in value) throw new Unsupported();
  return value;
}

/** Nothing awaits the promises of a list that is not written. Handles their rejections, which would otherwise end the process. */
function ignoreRejections(value: unknown): void {
  if (value instanceof Promise) value.catch(() => {});
  else if (Array.isArray(value)) value.forEach(ignoreRejections);
}

export const NULL = Buffer.from('null');
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

/** Completes a leaf value of a nullable type. */
export function nullable(write: Write): Write {
  return (value, execution) => {
    if (value == null) execution.out.add(NULL);
    else write(value, execution);
  };
}

/** Completes an object or a list of a nullable type. */
export function nullableComposite(write: Write): Write {
  return (value, execution) => {
    if (value == null) execution.out.add(NULL);
    else execution.writeOrNull(value, write);
  };
}

/** Completes a value of a non-null type. */
export function nonNull(write: Write): Write {
  return (value, execution) => {
    if (value == null) throw new Unsupported();
    write(value, execution);
  };
}

/** Completes a list, whose items `write` writes. */
export function list(write: Write, position: Position): Write {
  return (value, execution) => {
    // A string is iterable, but graphql-js does not accept it as a list.
    if (typeof value !== 'object') throw new Unsupported();
    const items: readonly unknown[] = Array.isArray(value) ? value : [...(value as Iterable<unknown>)];
    execution.out.addByte(OPENING_BRACKET);
    writeItems(items, 0, write, execution, position);
    execution.out.addByte(CLOSING_BRACKET);
  };
}

/** Writes the items from `start` on. When enough was written in this tick of the event loop, the rest follows in a later tick. */
function writeItems(
  items: readonly unknown[],
  start: number,
  write: Write,
  execution: Execution,
  position: Position,
): void {
  try {
    for (let i = start; i < items.length; i++) {
      if (i > start && execution.isSliceFull()) {
        // Until then nothing awaits the items that are promises.
        ignoreRejections(items);
        const writeRest: Write = (_none, later) => writeItems(items, i, write, later, position);
        execution.deferToNextTick(writeRest, position.depth - 1);
        return;
      }
      if (i > 0) execution.out.addByte(COMMA);
      execution.beginItem(position.depth, i);
      completeValue(items[i], write, execution, position);
    }
  } catch (error) {
    ignoreRejections(items);
    throw error;
  }
}

/** Completes a value of a scalar or enum type. */
export function leaf(type: GraphQLLeafType): Write {
  return (value, execution) => {
    const coerced = type.coerceOutputValue(value);
    const json = coerced === null ? undefined : JSON.stringify(coerced);
    if (json === undefined) throw new Unsupported();
    execution.out.addText(json);
  };
}
