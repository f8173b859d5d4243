// Value completion for compiled operations (GraphQL §6.4.3): functions that write a value as JSON. A promise leaves a gap in the
// output, which is filled when the promise is fulfilled. What a service refuses is null, with an error that names its place (§6.4.4).
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

/** A field of the operation, or what the items of its list are: where an error is, and what is null because of it. */
export interface Place {
  /** The field or the list around it; null: the root. */
  readonly parent: Place | null;
  /** The response key of a field; null for the items of the list around it. */
  readonly key: string | null;
  readonly nodes: readonly FieldNode[];
  readonly isNullable: boolean;
  /** The number of lists around it. */
  readonly depth: number;
}

/** What an answer begins with. */
export const DATA = Buffer.from('{"data":');

/** What a compiled operation wrote: `{"data":...}`, and the errors of what was refused in it. */
export interface Written {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly errors: readonly GraphQLError[];
}

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
  /** Of what was refused, in the order in which it was. */
  private readonly errors: GraphQLError[] = [];
  private readonly rootChunk = new Chunk([]);
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

  /** Leaves a gap in the current chunk; when the promise is settled, its value is written into a chunk that fills the gap. */
  defer(promise: Promise<unknown>, write: Write, place: Place): void {
    const chunk = this.chunk.leaveGap(out.length, place.depth);
    this.pending += 1;
    promise.then(
      (value) => {
        if (this.isSliceFull()) this.slices.inNextTurn(() => this.fill(chunk, value, write));
        else this.fill(chunk, value, write);
      },
      (error: unknown) => this.fill(chunk, null, (_none, execution) => execution.refuse(error, place)),
    );
  }

  /** Notes which item of a list is being written. @param depth the number of lists around it, this one included */
  beginItem(depth: number, index: number): void {
    this.chunk.indices[depth - 1] = index;
  }

  /**
   * Writes null for what is refused, and keeps the error.
   * @throws the located error where the place must not be null, for `writeOrNull`; anything else but a refusal unchanged
   */
  refuse(thrown: unknown, place: Place): void {
    if (!isRefusal(thrown)) throw thrown;
    const error = locatedError(thrown, [...place.nodes], pathOf(place, this.chunk.indices));
    if (!place.isNullable) throw error;
    this.errors.push(error);
    out.add(NULL);
  }

  /** Writes a value, or null where something in it is refused that must not be null. */
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

  /** Whether enough was written in this turn of the event loop. */
  isSliceFull(): boolean {
    return this.slices.isFull(out.length);
  }

  /** Leaves a gap in the current chunk that is written in a later turn of the event loop. */
  deferToNextTurn(write: Write, depth: number): void {
    const chunk = this.chunk.leaveGap(out.length, depth);
    this.pending += 1;
    this.slices.inNextTurn(() => this.fill(chunk, undefined, write));
  }

  private fill(chunk: Chunk, value: unknown, write: Write): void {
    if (chunk.isDropped) return;
    try {
      this.ctx.signal.throwIfAborted();
      this.writeChunk(chunk, requirePlain(value), write);
      this.pending -= 1;
      if (this.pending === 0) this.finish?.();
    } catch (error) {
      this.fail(error);
    }
  }

  /** The output for a value, once every gap is filled. Rejects with the first failure that is no refusal of a nullable value. */
  async run(value: unknown, write: Write): Promise<Written> {
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
    return { bytes, errors: this.errors };
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
  /** Of the lists around what is being written, the outermost first: which item it is in. */
  readonly indices: number[];
  /** Whether it is in something that became null: nothing is written any more. */
  isDropped = false;

  constructor(indices: number[]) {
    this.indices = indices;
  }

  get gapCount(): number {
    return this.gaps.length;
  }

  /** @param depth the number of lists around the gap */
  leaveGap(at: number, depth: number): Chunk {
    const chunk = new Chunk(this.indices.slice(0, depth));
    this.gaps.push({ at, chunk });
    return chunk;
  }

  /** Drops all gaps but the first ones. None of them is filled: they were left since. @returns their number */
  dropGaps(keep: number): number {
    const dropped = this.gaps.splice(keep);
    for (const { chunk } of dropped) chunk.isDropped = true;
    return dropped.length;
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

/** Whether a service has refused something. What becomes of a failure is left to the full executor. */
export function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && error.code !== 'internal' && error.code !== 'unavailable';
}

/** As graphql tells an error with its place from others. */
function isLocated(error: unknown): error is GraphQLError {
  return error instanceof GraphQLError && error.path !== undefined;
}

/** @param indices of the lists around it */
function pathOf(place: Place, indices: readonly number[]): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at: Place | null = place; at !== null; at = at.parent)
    path.push(at.key ?? indices[at.depth - 1] ?? 0);
  return path.reverse();
}

/** Writes the result of a resolver, a promise of one once it is fulfilled. */
export function completeValue(value: unknown, write: Write, execution: Execution, place: Place): void {
  // Rows are the most frequent values: they skip the other checks.
  if (typeof value !== 'object' || value === null || layoutOf(value) !== undefined) write(value, execution);
  else if (value instanceof Promise) execution.defer(value, write, place);
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
export function list(write: Write, place: Place): Write {
  return (value, execution) => {
    // A string is iterable, but graphql does not accept it as a list.
    if (typeof value !== 'object') throw new Unsupported();
    const items: readonly unknown[] = Array.isArray(value) ? value : [...(value as Iterable<unknown>)];
    execution.out.addByte(OPENING_BRACKET);
    writeItems(items, 0, write, execution, place);
    execution.out.addByte(CLOSING_BRACKET);
  };
}

/** Writes the items from `start` on. Those that this turn of the event loop has no room for are left to the next one. */
function writeItems(
  items: readonly unknown[],
  start: number,
  write: Write,
  execution: Execution,
  place: Place,
): void {
  try {
    for (let i = start; i < items.length; i++) {
      if (i > start && execution.isSliceFull()) {
        // Nobody waits for those that are promises before.
        ignoreRejections(items);
        const writeRest: Write = (_none, later) => writeItems(items, i, write, later, place);
        execution.deferToNextTurn(writeRest, place.depth - 1);
        return;
      }
      if (i > 0) execution.out.addByte(COMMA);
      execution.beginItem(place.depth, i);
      completeValue(items[i], write, execution, place);
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
