// The parts of the process that a command uses, and its output: results on standard output, everything else on standard error. With
// --json, a result or an error is one line of JSON.
import type { Readable } from 'node:stream';
import { type Command, InvalidArgumentError } from '@commander-js/extra-typings';
import type { Settings } from '../config/config.ts';
import * as values from '../config/values.ts';
import { toInteger } from '../rows/json.ts';

/** A stream of the process. */
interface ByteWriter {
  readonly isTTY?: boolean | undefined;
  write(text: string): boolean;
}

/** Handlers of unhandled errors. */
interface UnhandledListeners {
  /** A promise was rejected. */
  rejection(reason: unknown): void;
  /** An exception was thrown. */
  exception(error: Error): void;
}

/** The parts of the process. */
export interface Process {
  readonly stdin: () => Readable;
  readonly stdout: ByteWriter;
  readonly stderr: ByteWriter & NodeJS.WritableStream;
  readonly pid: number;
  readonly version: string;
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /**
   * Reports errors that nothing has handled, until the returned function is called. Without listeners the first one ends the process.
   */
  onUnhandled(listeners: UnhandledListeners): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
  /** The configuration, parsed at the first call: help works even if the environment is invalid. */
  settings(): Settings;
}

export interface Shell extends Process {
  /** The option `--json`. */
  readonly json: boolean;
}

/** The program that the commands are added to. */
export type Program = Command<[], { json?: true | undefined }>;

/** Prints a command's result: `data` for scripts, `text` for people. */
export function report({ stdout, json }: Shell, data: unknown, text: string): void {
  stdout.write(`${json ? JSON.stringify(data, idsAsIntegers) : text}\n`);
}

function idsAsIntegers(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? toInteger(value) : value;
}

/** Prints a remark for people; nothing with --json. */
export function printRemark({ stderr, json }: Shell, text: string): void {
  if (!json) stderr.write(`${text}\n`);
}

/** Rows as aligned columns under a heading; the last column is not padded. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Escapes control characters, and characters that are invisible or change the direction of text, because printed texts may be untrusted. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (char) => `\\u${char.codePointAt(0)?.toString(16).padStart(4, '0')}`,
  );
}

/** Parses an option. @throws InvalidArgumentError, which ends the command with exit code 2 */
export function wholeNumber(min: number, max: number): (text: string) => number {
  const { expected, parse } = values.wholeNumber(min, max);
  return (text) => {
    const number = parse(text);
    if (number === undefined) throw new InvalidArgumentError(`It must be ${expected}.`);
    return number;
  };
}

/** Resolves once the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
