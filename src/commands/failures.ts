// The error message and the exit code of a failed command: 1 for a failure, 2 for an invalid command line.
import { CommanderError } from '@commander-js/extra-typings';
import { AppError, StartupError } from '../errors.ts';

export interface Failure {
  readonly exitCode: number;
  /** A code for scripts: one of AppError's, or `usage`, `startup`, `internal`. */
  readonly code: string;
  /** One sentence for people. */
  readonly message: string;
  /** The stack; only for unexpected errors. */
  readonly stack: string | undefined;
}

/** Ends a command with exit code 1 after it has printed its failure as its result. */
export class FailedAsPrinted extends Error {}

/** Converts any thrown value; null for help and version, which are not failures. */
export function toFailure(error: unknown): Failure | null {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return null;
    const message =
      error.code === 'commander.help' ? 'A command is missing.' : error.message.replace(/^error: /, '');
    return { exitCode: 2, code: 'usage', message, stack: undefined };
  }
  if (error instanceof StartupError)
    return { exitCode: 1, code: 'startup', message: error.message, stack: undefined };
  if (error instanceof AppError)
    return { exitCode: 1, code: error.code, message: error.message, stack: undefined };
  const unexpected = error instanceof Error ? error : new Error(String(error));
  return { exitCode: 1, code: 'internal', message: unexpected.message, stack: unexpected.stack };
}
