// Errors of PostgreSQL say which statement failed, and their stack leads to the code that awaits it. By themselves they lead to the socket
// that the answer came from.
import pg from 'pg';

/** Puts the name of the failed statement on an error of PostgreSQL. One error fails the statements behind it too: it keeps the first name. */
export function nameStatement(error: unknown, statement: string): void {
  if (error instanceof pg.DatabaseError && !('statement' in error)) Object.assign(error, { statement });
}

/** The errors whose stack leads to our code. */
const led = new WeakSet<Error>();

/** Makes the stack of an error of PostgreSQL that of the functions that await it now. The first call for an error counts. */
export function leadToCaller(error: unknown): void {
  if (!(error instanceof pg.DatabaseError) || led.has(error)) return;
  led.add(error);
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
 * The answer of a statement that may fail before anybody awaits it: that is not reported as unhandled. The stack of its error leads to who
 * awaits it, although it has a handler of its own: V8 follows only promises that one function waits for, and each `then` makes one. To
 * capture a stack for each statement that is sent would take 5 % of a creation.
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
