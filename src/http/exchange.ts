// One HTTP exchange: what is known of a request before any face sees it. Host and caller are looked up when first asked
// for, so that paths which need neither cost neither.
import type { IncomingMessage } from 'node:http';
import type { Actor } from '../auth/actor.ts';
import { authenticate } from '../auth/authenticate.ts';
import { clientAddress, type Host, publicUrl, resolveHost } from '../auth/hosts.ts';
import { redactTokens } from '../auth/tokens.ts';
import type { App, Context } from '../context.ts';
import { AppError, nothingChanged, outcomeUnknown } from '../errors.ts';
import type { Changes } from '../store/store.ts';

/** What Hono hands to handlers as `c.env`. */
export interface HttpEnv {
  Bindings: { exchange: Exchange };
}

/** Where a request comes from. */
export interface Peer {
  /** As the socket has it; behind a proxy that is the proxy's. */
  readonly address: string | undefined;
  /** What has arrived; a body may still be on its way. */
  readonly incoming?: Pick<IncomingMessage, 'complete' | 'errored' | 'headers'>;
  /** To be called when the rest cannot arrive, or the answer cannot be sent: the request is refused, and its work ends. */
  refuse?: ((error: AppError) => void) | null;
}

/** The refusal of a request that ends in the middle. */
export function brokenOff(): AppError {
  return new AppError('bad_request', 'The connection ended before the request did.');
}

/** The refusal of a request whose client did not wait for the answer. */
export function clientGone(): AppError {
  return new AppError('bad_request', 'The connection ended before the answer was sent.');
}

/** How long after its end a request that may have changed something may still tell what. */
const OUTCOME_GRACE_MS = 2_000;

/** Ids that callers may give their requests: visible, short, harmless in a log line. */
const SANE_REQUEST_ID = /^[\w.:+/=@-]{1,128}$/;

/** A key that was sent as the id, by mistake, would be logged with every line. */
function isSaneRequestId(given: string): boolean {
  return SANE_REQUEST_ID.test(given) && redactTokens(given) === given;
}

/** The caller's own id for a request if it is sane, else a new one. */
export function toRequestId(given: string | null | undefined): string {
  return given != null && isSaneRequestId(given) ? given : crypto.randomUUID();
}

/** The headers of every answer. */
export function commonHeaders(requestId: string): Record<string, string> {
  return { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' };
}

/** An answer before it is one of HTTP's. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream | null;
}

export class Exchange {
  readonly app: App;
  readonly request: Request;
  readonly requestId: string;
  /** The URL that the client used. */
  readonly url: URL;
  /** What has been resolved so far, for the log and for failures. */
  host: Host | null = null;
  actor: Actor | null = null;
  readonly changes: Changes = { sent: false };
  private readonly controller = new AbortController();
  private refuse: ((error: AppError) => void) | null = null;
  private isBroken = false;
  private readonly peer: Peer | undefined;
  private dressed: Response | null = null;

  constructor(app: App, request: Request, peer: Peer | undefined) {
    this.app = app;
    this.request = request;
    this.requestId = toRequestId(request.headers.get('x-request-id'));
    this.url = publicUrl(app, request, peer?.address);
    this.peer = peer;
    if (peer === undefined) return;
    peer.refuse = (error) => {
      this.isBroken = true;
      this.end(error);
    };
  }

  /** Aborted when the request ends before its answer was sent. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Has the refusal of a request that ends before it was answered told to `refuse`; null: to nobody. */
  onRefusal(refuse: ((error: AppError) => void) | null): void {
    this.refuse = refuse;
  }

  /** Ends whatever is done for the request. What the refusal says of changes is true (DESIGN §12). */
  end(error: AppError): void {
    this.controller.abort(error);
    if (!this.mayChange) this.refuse?.(error);
    else if (!this.changes.sent) this.refuse?.(nothingChanged(error));
    // It may still be answered with the outcome.
    else setTimeout(() => this.refuse?.(outcomeUnknown(error)), OUTCOME_GRACE_MS).unref();
  }

  /** Whether it has come to a service that changes something. */
  private get mayChange(): boolean {
    return this.actor !== null && !['GET', 'HEAD'].includes(this.request.method);
  }

  /** The client's address, behind any proxy of ours; `unknown` where there is no socket. */
  get address(): string {
    return clientAddress(this.app, this.request, this.peer?.address);
  }

  /** Whether all of the request has arrived. */
  get isWhole(): boolean {
    return this.peer?.incoming?.complete !== false;
  }

  /** Whether the rest of the request cannot arrive any more. */
  get brokeOff(): boolean {
    return this.isBroken || (!this.isWhole && this.peer?.incoming?.errored != null);
  }

  /** The answer that a handler made, with the headers of every answer: made once, for headers are dear to change. */
  respond({ status, headers, body }: Reply): Response {
    this.dressed = new Response(body, { status, headers: { ...headers, ...commonHeaders(this.requestId) } });
    return this.dressed;
  }

  /** Any other answer, with the headers of every answer. */
  dress(response: Response): Response {
    if (response === this.dressed) return response;
    for (const [name, value] of Object.entries(commonHeaders(this.requestId)))
      response.headers.set(name, value);
    return response;
  }

  /** @throws AppError `misdirected_request` for a host that is nobody's */
  async resolveHost(): Promise<Host> {
    this.host ??= await resolveHost(this.app, this.url.hostname);
    return this.host;
  }

  /** The context of a request to a host of ours, its caller known. */
  async context(): Promise<Context> {
    const { app, requestId, request, signal, changes } = this;
    const host = await this.resolveHost();
    this.actor ??= await authenticate(app, request.headers, host, this.url);
    return { ...app, requestId, signal, changes, host, actor: this.actor };
  }
}
