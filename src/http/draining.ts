// Shuts down a listener without failing requests that have reached it. While it drains, readiness is refused, the last response on each
// connection has `Connection: close` (RFC 9112 §9.6), and an idle connection is closed after a grace period.
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The open connections of a listener. */
export interface OpenConnections {
  /** All connections. `isIdle`: the client can send a request, and has got the responses to all earlier ones. */
  all(): Iterable<{ readonly socket: Socket; readonly isIdle: boolean }>;
  /** Whether this response belongs to the latest request of its connection. If so, no further request is accepted there. */
  endsWith(response: ServerResponse): boolean;
}

/** A client that reuses its connection sends its next request within this time, and gets `Connection: close` with the response. */
const IDLE_GRACE_MS = 500;
const SWEEP_MS = 50;

/** The state of one listener: serving, then draining. */
export class Draining {
  private connections: OpenConnections | null = null;
  private hasBegun = false;

  /** Whether draining has begun. */
  get isBegun(): boolean {
    return this.hasBegun;
  }

  /** The ServerResponse class for a node:http server that this object drains. */
  createResponseClass(): typeof ServerResponse<IncomingMessage> {
    const mustCloseAfter = (response: ServerResponse) =>
      this.hasBegun && response.shouldKeepAlive && this.connections?.endsWith(response);
    return class extends ServerResponse<IncomingMessage> {
      override writeHead(statusCode: number, ...rest: unknown[]): this {
        if (mustCloseAfter(this)) this.shouldKeepAlive = false;
        return Reflect.apply(super.writeHead, this, [statusCode, ...rest]);
      }
    };
  }

  /** Begins draining: readiness is refused, and responses close their connections. */
  begin(connections: OpenConnections): void {
    this.connections = connections;
    this.hasBegun = true;
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
