// Questions and answers between the primary and one of its processes, over the connection that Node keeps between them. Messages arrive
// in the order in which they were sent, in either direction.

/** One end of the connection. */
export interface End {
  on(event: 'message', listener: (message: unknown) => void): unknown;
  send(message: object, callback?: (error: Error | null) => void): boolean;
}

/** What one side can be asked, by name; each call has parameters of its own. */
type Calls = { readonly [name: string]: (...parameters: never[]) => unknown };

export interface Channel<Theirs extends Calls> {
  /** Asks the other side. @throws Error what the other side threw, or that it is gone */
  ask<Name extends keyof Theirs & string>(
    name: Name,
    ...parameters: Parameters<Theirs[Name]>
  ): Promise<Awaited<ReturnType<Theirs[Name]>>>;
  /** The other side is gone: nothing is answered any more. */
  close(): void;
}

interface Message {
  /** The number of a question, with the name of what is asked; or of the question that is answered. */
  readonly ask?: number;
  readonly name?: string;
  readonly parameters?: readonly unknown[];
  readonly answer?: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** Answers what it is asked by `ours`. */
export function createChannel<Theirs extends Calls>(end: End, ours: Calls): Channel<Theirs> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let asked = 0;
  let isClosed = false;

  function send(message: Message): void {
    if (isClosed) return;
    // The other side may be gone already: its end is told of elsewhere.
    end.send(message, () => {});
  }

  async function answer({ ask = 0, name = '', parameters = [] }: Message): Promise<void> {
    try {
      // In the order of the messages: an answer before this question has been taken by whoever waited for it.
      await null;
      send({ answer: ask, value: await ours[name]?.(...(parameters as never[])) });
    } catch (error) {
      send({ answer: ask, error: error instanceof Error ? error.message : String(error) });
    }
  }

  end.on('message', (received) => {
    const message = received as Message;
    if (message.ask !== undefined) void answer(message);
    if (message.answer === undefined) return;
    const { resolve, reject } = waiting.get(message.answer) ?? {};
    waiting.delete(message.answer);
    if (message.error === undefined) resolve?.(message.value);
    else reject?.(new Error(message.error));
  });

  return {
    ask(name, ...parameters) {
      const promised = Promise.withResolvers<unknown>();
      if (isClosed) promised.reject(gone());
      else {
        asked += 1;
        waiting.set(asked, promised);
        send({ ask: asked, name, parameters });
      }
      return promised.promise as ReturnType<Channel<Theirs>['ask']>;
    },
    close() {
      isClosed = true;
      for (const { reject } of waiting.values()) reject(gone());
      waiting.clear();
    },
  };
}

function gone(): Error {
  return new Error('The other process is gone.');
}
