// What compiled operations are made of: functions that write a value's JSON, at once or when it has come.
import type { GraphQLLeafType, getVariableValues } from 'graphql';
import { TO_JSON } from '../columns.ts';
import type { GraphContext } from './context.ts';

/** One run of an operation. */
export interface Run {
  readonly ctx: GraphContext;
  readonly variables: VariableValues;
}

/** As graphql coerced them. */
export type VariableValues = Extract<
  ReturnType<typeof getVariableValues>,
  { variableValues: unknown }
>['variableValues'];

export type Json = string | Promise<string>;
export type Write = (value: unknown, run: Run) => Json;

/** Something that compiled operations leave to the full executor. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
}

/** Writes what a resolver gave, at once or when it has come. */
export function settle(value: unknown, write: Write, run: Run): Json {
  if (!(value instanceof Promise)) return write(plain(value), run);
  return watched(value.then((settled: unknown) => write(plain(settled), run)));
}

/** The executor takes an error for a failure, and waits for whatever has a `then`. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error || 'then' in value) throw new Unsupported();
  return value;
}

/** Pieces of JSON, put together when all have come. */
export function together(parts: readonly Json[], end: string): Promise<string> {
  return watched(Promise.all(parts).then((json) => json.join('') + end));
}

/** Where a sibling has failed already, nobody waits for this one: its failure must not end the process. */
function watched(json: Promise<string>): Promise<string> {
  json.catch(() => {});
  return json;
}

/** The same for members of a list that were not looked at. */
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
    return waiting === null ? `${json}]` : together(waiting, ']');
  };
}

/** A scalar or an enum, as its type writes it. */
export function leaf(type: GraphQLLeafType): Write {
  return (value) => {
    const coerced = type.coerceOutputValue(value);
    if (typeof coerced === 'string') return TO_JSON.text(coerced);
    const json = coerced === null ? undefined : JSON.stringify(coerced);
    if (json === undefined) throw new Unsupported();
    return json;
  };
}
