// Value completion for compiled operations (GraphQL §6.4.3): functions that write a value as JSON. A promise leaves a gap in the
// output, which is filled when the promise is fulfilled.
import type { GraphQLLeafType, getVariableValues } from 'graphql';
import { ByteWriter } from '../../rows/byte-writer.ts';
import { layoutOf } from '../../rows/columns.ts';
import type { GraphContext } from '../context.ts';
import { AnswerTooLarge } from '../limits/answer-size.ts';
import { Slices } from './slices.ts';

/** Writes a value as JSON into the execution's output. */
export type Write = (value: unknown, execution: Execution) => void;

/** Variable values as graphql's getVariableValues has coerced them. */
export type VariableValues = Extract<
  ReturnType<typeof getVariableValues>,
  { variableValues: unknown }
>['variableValues'];

/** One buffer for all executions: a chunk is written synchronously, and copied before another one is begun. */
const out = new ByteWriter();

/** One execution of a compiled operation: its context and variables, its output, and its pending promises. */
export class Execution {
  readonly ctx: GraphContext;
  readonly variables: VariableValues;
  readonly out = out;
  private readonly rootChunk = new Chunk();
  /** The chunk that is being written. */
  private chunk = this.rootChunk;
  private pending = 0;
  private finish: (() => void) | null = null;
  private fail: (error: unknown) => void = () => {};

  /** How many more bytes the answer may have. */
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

  /** Leaves a gap in the current chunk; when the promise is fulfilled, its value is written into a chunk that fills the gap. */
  defer(promise: Promise<unknown>, write: Write): void {
    const chunk = this.chunk.leaveGap(out.length);
    this.pending += 1;
    promise.then(
      (value) => {
        if (this.isSliceFull()) this.slices.inNextTurn(() => this.fill(chunk, value, write));
        else this.fill(chunk, value, write);
      },
      (error: unknown) => this.fail(error),
    );
  }

  /** Whether enough was written in this turn of the event loop. */
  isSliceFull(): boolean {
    return this.slices.isFull(out.length);
  }

  /** Leaves a gap in the current chunk that is written in a later turn of the event loop. */
  deferToNextTurn(write: Write): void {
    const chunk = this.chunk.leaveGap(out.length);
    this.pending += 1;
    this.slices.inNextTurn(() => this.fill(chunk, undefined, write));
  }

  private fill(chunk: Chunk, value: unknown, write: Write): void {
    try {
      this.ctx.signal.throwIfAborted();
      this.writeChunk(chunk, requirePlain(value), write);
      this.pending -= 1;
      if (this.pending === 0) this.finish?.();
    } catch (error) {
      this.fail(error);
    }
  }

  /** The output for a value, once every gap is filled. Rejects with the first failure. */
  async run(value: unknown, write: Write): Promise<Buffer<ArrayBuffer>> {
    this.writeChunk(this.rootChunk, value, write);
    if (this.pending > 0) {
      await new Promise<void>((resolve, reject) => {
        this.finish = resolve;
        this.fail = reject;
      });
    }
    out.clear();
    this.rootChunk.moveTo(out);
    const bytes = out.toBuffer();
    out.clear();
    return bytes;
  }

  private writeChunk(chunk: Chunk, value: unknown, write: Write): void {
    out.clear();
    this.chunk = chunk;
    write(value, this);
    this.requireBytesLeft();
    this.bytesLeft -= out.length;
    this.slices.add(out.length);
    chunk.setBytes(out.toBuffer());
    out.clear();
  }
}

/** JSON that was written synchronously, with gaps for values that are pending. */
class Chunk {
  private bytes: Buffer | null = null;
  private gaps: { readonly at: number; readonly chunk: Chunk }[] = [];

  leaveGap(at: number): Chunk {
    const chunk = new Chunk();
    this.gaps.push({ at, chunk });
    return chunk;
  }

  setBytes(bytes: Buffer): void {
    this.bytes = bytes;
  }

  /**
   * Appends the chunk, with its gaps filled, to `into`, and drops its references: under load chunks live long enough to be promoted
   * to V8's old generation, and what they reference would stay in memory until a full garbage collection.
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

/** Thrown for anything that compiled operations do not implement: the full executor has to execute the operation. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
}

/** Writes the result of a resolver, a promise of one once it is fulfilled. */
export function completeValue(value: unknown, write: Write, execution: Execution): void {
  // Rows are the most frequent values: they skip the other checks.
  if (typeof value !== 'object' || value === null || layoutOf(value) !== undefined) write(value, execution);
  else if (value instanceof Promise) execution.defer(value, write);
  else write(requirePlain(value), execution);
}

/** The value itself. @throws Unsupported for an Error, which graphql treats as thrown, and for a thenable, which it awaits */
function requirePlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error || 'then' in value) throw new Unsupported();
  return value;
}

/** After a failure nothing awaits the list's promises: their rejections must not end the process as unhandled ones. */
function ignoreRejections(items: readonly unknown[]): void {
  for (const item of items) if (item instanceof Promise) item.catch(() => {});
}

export const NULL = Buffer.from('null');
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

/** Completes a value of a nullable type. */
export function nullable(write: Write): Write {
  return (value, execution) => {
    if (value == null) execution.out.add(NULL);
    else write(value, execution);
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
export function list(write: Write): Write {
  return (value, execution) => {
    // A string is iterable, but graphql does not accept it as a list.
    if (typeof value !== 'object') throw new Unsupported();
    const items: readonly unknown[] = Array.isArray(value) ? value : [...(value as Iterable<unknown>)];
    execution.out.addByte(OPENING_BRACKET);
    writeItems(items, 0, write, execution);
    execution.out.addByte(CLOSING_BRACKET);
  };
}

/** Writes the items from `start` on. Those that this turn of the event loop has no room for are left to the next one. */
function writeItems(items: readonly unknown[], start: number, write: Write, execution: Execution): void {
  try {
    for (let i = start; i < items.length; i++) {
      if (i > start && execution.isSliceFull()) {
        // Nobody waits for those that are promises before.
        ignoreRejections(items);
        execution.deferToNextTurn((_none, later) => writeItems(items, i, write, later));
        return;
      }
      if (i > 0) execution.out.addByte(COMMA);
      completeValue(items[i], write, execution);
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
