// What compiled operations are made of: functions that write a value's JSON, at once or when it has come.
import type { GraphQLLeafType, getVariableValues } from 'graphql';
import { encodeUtf8 } from '../bytes.ts';
import { stringify } from '../columns.ts';
import type { GraphContext } from './context.ts';

/** One run of an operation: what its writers are given, and the values that it waits for. */
export class Run {
  readonly ctx: GraphContext;
  readonly variables: VariableValues;
  private waitingFor = 0;
  private finish: (() => void) | null = null;
  private fail: (error: unknown) => void = () => {};

  constructor(ctx: GraphContext, variables: VariableValues) {
    this.ctx = ctx;
    this.variables = variables;
  }

  /** Leaves a gap in the JSON that is filled when the value has come. */
  later(value: Promise<unknown>, write: Write): Gap {
    const gap = new Gap();
    this.waitingFor += 1;
    value.then(
      (settled) => {
        try {
          gap.fill(write(plain(settled), this));
          this.waitingFor -= 1;
          if (this.waitingFor === 0) this.finish?.();
        } catch (error) {
          this.fail(error);
        }
      },
      (error: unknown) => this.fail(error),
    );
    return gap;
  }

  /** The text of what was written, when every gap is filled. Rejects with the first failure. */
  async text(json: Json): Promise<string> {
    if (this.waitingFor > 0) {
      await new Promise<void>((resolve, reject) => {
        this.finish = resolve;
        this.fail = reject;
      });
    }
    return typeof json === 'string' ? json : flatten(json);
  }
}

/** As graphql coerced them. */
export type VariableValues = Extract<
  ReturnType<typeof getVariableValues>,
  { variableValues: unknown }
>['variableValues'];

/** JSON in bytes, or parts of it with gaps among them. */
export type Json = string | Gap | readonly Json[];

/**
 * Where a value is missing that has not come yet. Under load gaps wait long enough to be promoted: what one still held
 * after its answer would live until the next full garbage collection.
 */
class Gap {
  private json: Json = '';

  fill(json: Json): void {
    this.json = json;
  }

  take(): Json {
    const { json } = this;
    this.json = '';
    return json;
  }
}

function flatten(json: Json): string {
  const into: string[] = [];
  const waiting: Json[] = [json];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') into.push(next);
    else if (next instanceof Gap) waiting.push(next.take());
    else for (let i = next.length - 1; i >= 0; i--) waiting.push(next[i] ?? '');
  }
  return into.join('');
}

export type Write = (value: unknown, run: Run) => Json;

/** Something that compiled operations leave to the full executor. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
}

/** Writes what a resolver gave, at once or when it has come. */
export function settle(value: unknown, write: Write, run: Run): Json {
  return value instanceof Promise ? run.later(value, write) : write(plain(value), run);
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

/** A value that must be there. */
export function required(write: Write): Write {
  return (value, run) => {
    if (value == null) throw new Unsupported();
    return write(value, run);
  };
}

/** A list, each member written by `write`. */
export function list(write: Write): Write {
  return (value, run) => {
    // Text has characters, yet is no list.
    if (typeof value !== 'object') throw new Unsupported();
    const items: readonly unknown[] = Array.isArray(value) ? value : [...(value as Iterable<unknown>)];
    let json = '[';
    let waiting: Json[] | null = null;
    try {
      for (let i = 0; i < items.length; i++) {
        const item = settle(items[i], write, run);
        const comma = i === 0 ? '' : ',';
        if (waiting !== null) waiting.push(comma, item);
        else if (typeof item === 'string') json += comma + item;
        else waiting = [json, comma, item];
      }
    } catch (error) {
      ignoreFailures(items);
      throw error;
    }
    if (waiting === null) return `${json}]`;
    waiting.push(']');
    return waiting;
  };
}

/** A scalar or an enum, as its type writes it. */
export function leaf(type: GraphQLLeafType): Write {
  return (value) => {
    const coerced = type.coerceOutputValue(value);
    if (typeof coerced === 'string') return stringify(coerced);
    const json = coerced === null ? undefined : JSON.stringify(coerced);
    if (json === undefined) throw new Unsupported();
    return encodeUtf8(json);
  };
}
