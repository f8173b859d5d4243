// Adds to PostgreSQL's errors the failed statement's name and the stack of the code that awaits it. Their original stack leads to the
// socket.
import pg from 'pg';

/**
 * Adds the name of the failed statement to an error of PostgreSQL. One error also fails the statements after it, so the first name stays.
 */
export function nameStatement(error: unknown, statement: string): void {
  if (error instanceof pg.DatabaseError && !('statement' in error)) Object.assign(error, { statement });
}

/** The errors whose stack already leads to our code. */
const errorsWithCallerStack = new WeakSet<Error>();

/**
 * Replaces the stack of an error of PostgreSQL by that of the functions that await it now. Only the first call for an error has an effect.
 */
export function leadToCaller(error: unknown): void {
  if (!(error instanceof pg.DatabaseError) || errorsWithCallerStack.has(error)) return;
  errorsWithCallerStack.add(error);
  Error.captureStackTrace(error, leadToCaller);
}

/** Awaits a statement. @throws its error, with its name and the stack of the caller */
export async function awaitStatement<T>(statement: string, answer: PromiseLike<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    nameStatement(error, statement);
    leadToCaller(error);
    throw error;
  }
}

/**
 * The answer of a statement that may fail before anyone awaits it, without an unhandled rejection. The stack of its error leads to the code
 * that awaits it: V8 cannot follow a promise with several handlers, so each `then` makes a promise of its own. Capturing a stack for each
 * sent statement would cost 5 % of a creation.
 */
export class PendingAnswer<T> implements PromiseLike<T> {
  readonly #answer: Promise<T>;

  constructor(answer: Promise<T>) {
    this.#answer = answer;
    answer.catch(() => {});
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited.
  then<Then = T, Caught = never>(
    onAnswer?: ((answer: T) => Then | PromiseLike<Then>) | null,
    onError?: ((error: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Then | Caught> {
    return this.#awaited().then(onAnswer, onError);
  }

  async #awaited(): Promise<T> {
    try {
      return await this.#answer;
    } catch (error) {
      leadToCaller(error);
      throw error;
    }
  }
}
