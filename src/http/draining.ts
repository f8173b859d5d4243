// How a listener ends without failing a request that has reached it: while it drains, readiness is refused, the last answer of each
// connection says that the connection ends (RFC 9112 §9.6), and an idle one is closed only after it had time to be told so.
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The open connections of a listener, as far as draining has to know them. */
export interface OpenConnections {
  /** Every connection; `isIdle` when it is read, every request that it brought has been answered, and its last answer sent. */
  all(): Iterable<{ readonly socket: Socket; readonly isIdle: boolean }>;
  /** Whether no request arrived on its connection behind the one that this response answers. From then on none is accepted there. */
  endsWith(response: ServerResponse): boolean;
}

/** A client that uses a connection again does so within a round trip: then it is told that the connection ends. */
const IDLE_GRACE_MS = 500;
const SWEEP_MS = 50;

/** The state of one listener: serving, then draining. */
export class Draining {
  private connections: OpenConnections | null = null;
  private begun = false;

  /** Whether it has begun. */
  get isBegun(): boolean {
    return this.begun;
  }

  /** The class of the responses of a node:http server that drains by this. */
  createResponseClass(): typeof ServerResponse<IncomingMessage> {
    const closesBehind = (response: ServerResponse) =>
      this.begun && response.shouldKeepAlive && this.connections?.endsWith(response);
    return class extends ServerResponse<IncomingMessage> {
      override writeHead(statusCode: number, ...rest: unknown[]): this {
        if (closesBehind(this)) this.shouldKeepAlive = false;
        return Reflect.apply(super.writeHead, this, [statusCode, ...rest]);
      }
    };
  }

  /** Begins: readiness is refused, and answers end their connections. */
  begin(connections: OpenConnections): void {
    this.connections = connections;
    this.begun = true;
  }

  /** Closes connections that stay idle, until `signal` is aborted. */
  async closeIdle(signal: AbortSignal): Promise<void> {
    const since = new WeakMap<Socket, { readonly at: number; readonly bytesRead: number }>();
    while (!signal.aborted) {
      const now = performance.now();
      for (const { socket, isIdle } of this.connections?.all() ?? []) {
        const { bytesRead } = socket;
        const idle = since.get(socket);
        if (!isIdle) since.delete(socket);
        else if (idle?.bytesRead !== bytesRead) since.set(socket, { at: now, bytesRead });
        else if (now - idle.at >= IDLE_GRACE_MS) socket.destroySoon();
      }
      await sleep(SWEEP_MS, undefined, { signal }).catch(() => {});
    }
  }
}
