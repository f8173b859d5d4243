// What compiled operations are made of: functions that write a value's JSON, at once or when it has come.
import type { GraphQLLeafType, getVariableValues } from 'graphql';
import { ByteWriter } from '../rows/byte-writer.ts';
import { layoutOf } from '../rows/columns.ts';
import { AnswerTooLarge } from './answer-size.ts';
import type { GraphContext } from './context.ts';

/** Writes a value's JSON into the run's output. */
export type Write = (value: unknown, execution: Execution) => void;

/** As graphql coerced them. */
export type VariableValues = Extract<
  ReturnType<typeof getVariableValues>,
  { variableValues: unknown }
>['variableValues'];

/** What is written at once is written in one go, whichever run it belongs to. */
const out = new ByteWriter();

/** One run of an operation: what its writers are given, and the values that it waits for. */
export class Execution {
  readonly ctx: GraphContext;
  readonly variables: VariableValues;
  readonly out = out;
  private readonly whole = new Piece();
  /** The piece that is being written. */
  private piece = this.whole;
  private waitingFor = 0;
  private finish: (() => void) | null = null;
  private fail: (error: unknown) => void = () => {};

  /** How many bytes more the whole answer may have. */
  private room: number;
  private readonly maxBytes: number;

  /** @param maxBytes a larger answer rejects with AnswerTooLarge */
  constructor(ctx: GraphContext, variables: VariableValues, maxBytes: number) {
    this.ctx = ctx;
    this.variables = variables;
    this.room = maxBytes;
    this.maxBytes = maxBytes;
  }

  /** @throws AnswerTooLarge when what has been written so far is too much */
  requireRoom(): void {
    if (out.length > this.room) throw new AnswerTooLarge(this.maxBytes);
  }

  /** Leaves a gap in what is being written, which is filled when the value has come. */
  later(value: Promise<unknown>, write: Write): void {
    const piece = this.piece.leaveGap(out.length);
    this.waitingFor += 1;
    value.then(
      (settled) => {
        try {
          this.ctx.signal.throwIfAborted();
          this.fill(piece, plain(settled), write);
          this.waitingFor -= 1;
          if (this.waitingFor === 0) this.finish?.();
        } catch (error) {
          this.fail(error);
        }
      },
      (error: unknown) => this.fail(error),
    );
  }

  /** What is written for a value, when every gap is filled. Rejects with the first failure. */
  async write(value: unknown, write: Write): Promise<Buffer<ArrayBuffer>> {
    this.fill(this.whole, value, write);
    if (this.waitingFor > 0) {
      await new Promise<void>((resolve, reject) => {
        this.finish = resolve;
        this.fail = reject;
      });
    }
    out.clear();
    this.whole.moveTo(out);
    return out.toBuffer();
  }

  private fill(piece: Piece, value: unknown, write: Write): void {
    out.clear();
    this.piece = piece;
    write(value, this);
    this.requireRoom();
    this.room -= out.length;
    piece.keep(out.toBuffer());
  }
}

/** JSON that was written at once, and the gaps in it. */
class Piece {
  private bytes: Buffer | null = null;
  private gaps: { readonly at: number; readonly piece: Piece }[] = [];

  leaveGap(at: number): Piece {
    const piece = new Piece();
    this.gaps.push({ at, piece });
    return piece;
  }

  keep(bytes: Buffer): void {
    this.bytes = bytes;
  }

  /**
   * Lets go of everything: under load pieces wait long enough to be promoted, and what they still held would live until the
   * next full garbage collection.
   */
  moveTo(into: ByteWriter): void {
    const { bytes, gaps } = this;
    if (bytes === null) return;
    let from = 0;
    for (const { at, piece } of gaps) {
      into.addPart(bytes, from, at);
      piece.moveTo(into);
      from = at;
    }
    into.addPart(bytes, from, bytes.length);
    this.bytes = null;
    this.gaps = [];
  }
}

/** Something that compiled operations leave to the full executor. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
}

/** Writes what a resolver gave, at once or when it has come. */
export function complete(value: unknown, write: Write, execution: Execution): void {
  // Rows come most often: nothing about them has to be found out.
  if (typeof value !== 'object' || value === null || layoutOf(value) !== undefined) write(value, execution);
  else if (value instanceof Promise) execution.later(value, write);
  else write(plain(value), execution);
}

/** The executor takes an error for a failure, and waits for whatever has a `then`. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error || 'then' in value) throw new Unsupported();
  return value;
}

/** A failure on the way ends the run: nobody will wait for these members, and their failures must not end the process. */
function ignoreFailures(items: readonly unknown[]): void {
  for (const item of items) if (item instanceof Promise) item.catch(() => {});
}

export const NULL = Buffer.from('null');
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

/** A value that may be missing. */
export function nullable(write: Write): Write {
  return (value, execution) => {
    if (value == null) execution.out.add(NULL);
    else write(value, execution);
  };
}

/** A value that must be there. */
export function required(write: Write): Write {
  return (value, execution) => {
    if (value == null) throw new Unsupported();
    write(value, execution);
  };
}

/** A list, each member written by `write`. */
export function list(write: Write): Write {
  return (value, execution) => {
    // Text has characters, yet is no list.
    if (typeof value !== 'object') throw new Unsupported();
    const items: readonly unknown[] = Array.isArray(value) ? value : [...(value as Iterable<unknown>)];
    execution.out.addByte(OPENING_BRACKET);
    try {
      for (let i = 0; i < items.length; i++) {
        if (i > 0) execution.out.addByte(COMMA);
        complete(items[i], write, execution);
      }
    } catch (error) {
      ignoreFailures(items);
      throw error;
    }
    execution.out.addByte(CLOSING_BRACKET);
  };
}

/** A scalar or an enum, as its type writes it. */
export function leaf(type: GraphQLLeafType): Write {
  return (value, execution) => {
    const coerced = type.coerceOutputValue(value);
    const json = coerced === null ? undefined : JSON.stringify(coerced);
    if (json === undefined) throw new Unsupported();
    execution.out.addText(json);
  };
}
