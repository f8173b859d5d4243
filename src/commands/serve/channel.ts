// Calls and results between the primary and one worker, over node's IPC channel.

/** One end of the connection. */
export interface End {
  on(event: 'message', listener: (message: unknown) => void): unknown;
  send(message: object, callback?: (error: Error | null) => void): boolean;
}

/** The functions that one side offers, by name. */
type Calls = { readonly [name: string]: (...parameters: never[]) => unknown };

export interface Channel<Theirs extends Calls> {
  /** Calls the other side. @throws Error the other side's error, or that its process has ended */
  ask<Name extends keyof Theirs & string>(
    name: Name,
    ...parameters: Parameters<Theirs[Name]>
  ): Promise<Awaited<ReturnType<Theirs[Name]>>>;
  /** The other process has ended: pending calls fail. */
  close(): void;
}

interface Message {
  /** The number of a call and the name of its function; or the number of the call that is answered. */
  readonly ask?: number;
  readonly name?: string;
  readonly parameters?: readonly unknown[];
  readonly answer?: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** Answers calls with the functions in `ours`. */
export function createChannel<Theirs extends Calls>(end: End, ours: Calls): Channel<Theirs> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let asked = 0;
  let isClosed = false;

  function send(message: Message): void {
    if (isClosed) return;
    // The other process may have ended; its end is handled elsewhere.
    end.send(message, () => {});
  }

  async function answer({ ask = 0, name = '', parameters = [] }: Message): Promise<void> {
    try {
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
