// One HTTP exchange: the request with its id, deadline, abort signal, host and caller, and the headers of its response. It looks up host
// and caller on first use, because not every path needs them.
import type { IncomingMessage } from 'node:http';
import type { Actor } from '../auth/actor.ts';
import { authenticate } from '../auth/authenticate.ts';
import {
  clientAddress,
  type Host,
  isTrustedProxy,
  publicUrl,
  resolveHost,
  unknownTarget,
} from '../auth/hosts.ts';
import type { App, Context } from '../context.ts';
import { AppError, nothingChanged, outcomeUnknown } from '../errors.ts';
import type { Reply } from '../messages/reply.ts';
import { canonicalPath } from '../rest/routing-path.ts';
import { RequestFacts } from '../telemetry/request-facts.ts';
import type { EndOfSpan, Span } from '../telemetry/tracing.ts';
import { corsHeaders, defaultCorsHeaders } from './cors.ts';
import { admitActor, rateLimitHeaders } from './rate-limits.ts';
import { toRequestId } from './request-id.ts';
import { apiHeaders, securityHeaders } from './security-headers.ts';

/** The type of `c.env` in Hono's handlers. */
export interface HttpEnv {
  Bindings: { exchange: Exchange };
}

/** The client's side of a connection, for one request. */
export interface Peer {
  /** The socket's remote address; behind a proxy, the address of the proxy. */
  readonly address: string | undefined;
  /** Whether the address is a trusted proxy's; absent: not checked yet. */
  readonly isProxy?: boolean;
  /** Node's request, whose body may not have arrived yet. */
  readonly incoming?: Pick<IncomingMessage, 'complete' | 'errored' | 'headers' | 'url'>;
  /** Aborts the request. Call it when the rest of the request cannot arrive, or the response cannot be sent. */
  abort?: ((error: AppError) => void) | null;
}

/** The error for a request whose connection ended before all of it had arrived. */
export function incompleteRequest(): AppError {
  return new AppError('bad_request', 'The connection ended before the request did.');
}

/** The error for a request whose client disconnected before the response was sent. */
export function clientDisconnected(): AppError {
  return new AppError('bad_request', 'The connection ended before the answer was sent.');
}

/** The error for a request whose deadline has passed. */
function deadlineError(isComplete: boolean): AppError {
  return isComplete
    ? new AppError('unavailable', 'The request took too long.', { retryAfterSeconds: 5 })
    : new AppError('request_timeout', 'The request took too long to arrive.');
}

/** How long an aborted request may still wait for the outcome of a commit that it has sent. */
const OUTCOME_GRACE_MS = 2_000;

/** The headers that every response gets. */
interface CommonHeaders {
  /** Added unless the response sets them itself. */
  readonly defaults: Readonly<Record<string, string>>;
  /** Always set. */
  readonly always: Readonly<Record<string, string>>;
}

/** The response with its request id and the common headers. */
export function withCommonHeaders(
  response: Response,
  requestId: string,
  { defaults, always: { Vary: vary, ...always } }: CommonHeaders,
): Response {
  const { headers } = response;
  headers.set('X-Request-Id', requestId);
  for (const name in defaults) if (!headers.has(name)) headers.set(name, defaults[name] ?? '');
  for (const name in always) headers.set(name, always[name] ?? '');
  if (vary !== undefined) addVary(headers, vary);
  return response;
}

/** Adds a request header on which the response depends to Vary (RFC 9110 §12.5.5). */
export function addVary(headers: Headers, name: string): void {
  const names = headers.get('vary')?.split(/, */) ?? [];
  if (!names.some((known) => known.toLowerCase() === name.toLowerCase())) headers.append('Vary', name);
}

export class Exchange {
  readonly app: App;
  readonly request: Request;
  readonly requestId: string;
  /** The URL that the client used, without superfluous slashes. */
  readonly url: URL;
  /** Host and actor once they are resolved, for the log line and error responses. */
  host: Host | null = null;
  actor: Actor | null = null;
  readonly changes: Context['changes'] = { sent: false };
  private readonly reading: Required<Context>['reading'] = { wanted: null, chosen: null };
  /** For the log line, the metrics and the trace. */
  readonly facts: RequestFacts;
  /** The span of the operation, below the exchange's. */
  private operationSpan: Span | null = null;
  private readonly controller = new AbortController();
  /** Ends the request without a response, with the error for the client; null once there is one. */
  private refuse: ((error: AppError) => void) | null = null;
  /** Whether the response may be a stream, which is still being sent after its creation. */
  private maySendStream = true;
  private isDisconnected = false;
  private readonly peer: Peer | undefined;
  /** Whether the request came through a trusted proxy. */
  private readonly isProxied: boolean;
  /** The URL that the client used; null if the proxy's forwarded headers are not a valid URL. */
  private readonly target: URL | null;
  /** The time of its deadline, in milliseconds as `performance.now()`. */
  private readonly deadline: number;
  /** Waits for a queue slot of the caller's team (request-turn.ts). */
  waitForSlot: Context['waitForSlot'];
  /** Whether a route was looked up. Its pattern is then the endpoint, unless a handler has set a more precise one. */
  isRouted = false;
  /** The reply of the REST or GraphQL handler; `respond` makes a response with the common headers from it. */
  reply: Reply | null = null;
  private ownResponse: Response | null = null;

  constructor(app: App, request: Request, peer: Peer | undefined) {
    this.app = app;
    this.request = request;
    this.deadline = performance.now() + app.config.limits.requestTimeoutMs;
    this.requestId = toRequestId(request.headers.get('x-request-id'));
    this.isProxied = peer?.isProxy ?? isTrustedProxy(app.config, peer?.address ?? '');
    this.target = publicUrl(request, this.isProxied);
    this.url = this.target ?? new URL(request.url);
    const path = canonicalPath(this.url.pathname);
    if (path !== this.url.pathname) this.url.pathname = path;
    this.facts = new RequestFacts(app.tracer?.startExchange(request.headers.get('traceparent')) ?? null);
    this.peer = peer;
    if (peer === undefined) return;
    peer.abort = (error) => {
      this.isDisconnected = true;
      this.end(error);
    };
  }

  /** Aborted when the deadline passes or the client disconnects before the response is sent. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /**
   * The result of `work`, unless the request ends first: at its deadline, or when its client disconnects.
   * @throws AppError `unavailable` (503) after REQUEST_TIMEOUT_MS, `request_timeout` (408) if the request has not arrived completely by
   *   then, `bad_request` when the client has disconnected; the errors of `work`
   */
  withinDeadline<T>(work: Promise<T>): Promise<T> {
    // Uses one promise; Promise.race would need six.
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.end(deadlineError(this.isComplete)),
        this.app.config.limits.requestTimeoutMs,
      );
      const finish = () => {
        clearTimeout(timer);
        this.refuse = null;
        // An idle connection must not keep its last request in memory. Only a stream can still be aborted.
        if (!this.maySendStream && this.peer !== undefined) this.peer.abort = null;
      };
      const fail = (error: unknown) => {
        finish();
        reject(error);
      };
      this.refuse = fail;
      work.then((result) => {
        finish();
        resolve(result);
      }, fail);
    });
  }

  /** Aborts all work for the request. The error says correctly whether something was changed. */
  end(error: AppError): void {
    this.controller.abort(error);
    if (!this.mayChange) this.refuse?.(error);
    else if (!this.changes.sent) this.refuse?.(nothingChanged(error));
    // The commit was sent: wait a short time for its outcome.
    else setTimeout(() => this.refuse?.(outcomeUnknown(error)), OUTCOME_GRACE_MS).unref();
  }

  /** Whether the request may have called a service that changes data. */
  private get mayChange(): boolean {
    return this.actor !== null && !['GET', 'HEAD'].includes(this.request.method);
  }

  /** The address of the client, also behind trusted proxies; `unknown` without a socket. */
  get address(): string {
    const address = this.peer?.address;
    return this.isProxied ? clientAddress(this.app, this.request, address) : (address ?? 'unknown');
  }

  /** The credentials that were sent; null: none. */
  get credentials(): string | null {
    return this.request.headers.get('authorization');
  }

  /** Whether all of the request has arrived. */
  get isComplete(): boolean {
    return this.peer?.incoming?.complete !== false;
  }

  /** Whether the connection ended before all of the request had arrived. */
  get isTruncated(): boolean {
    return this.isDisconnected || (!this.isComplete && this.peer?.incoming?.errored != null);
  }

  /** The CORS headers of a reply of REST or GraphQL. */
  private corsHeaders(): Readonly<Record<string, string>> {
    const { config } = this.app;
    const origin = this.request.headers.get('origin');
    return origin === null ? defaultCorsHeaders(config) : corsHeaders(config, this.url.pathname, origin);
  }

  /** A Response from a handler's reply with the common headers, set at creation because changing headers later is slow. */
  respond(reply: Reply): Response {
    const { status, headers, body } = reply;
    this.reply = reply;
    this.maySendStream = body instanceof ReadableStream;
    this.ownResponse = new Response(body, {
      status,
      headers: {
        ...headers,
        'X-Request-Id': this.requestId,
        ...apiHeaders(this.app.config, this.url),
        ...rateLimitHeaders(this.facts.rates),
        ...this.corsHeaders(),
      },
    });
    return this.ownResponse;
  }

  /** Whether `respond` created a response. */
  isOwn(response: Response): boolean {
    return response === this.ownResponse;
  }

  /** Adds the common headers to a response, unless `respond` created it. */
  addCommonHeaders(response: Response): Response {
    if (this.isOwn(response)) return response;
    const { app, request, requestId, url, facts } = this;
    const origin = request.headers.get('origin');
    return withCommonHeaders(response, requestId, {
      defaults: securityHeaders(app.config, url),
      always: { ...corsHeaders(app.config, url.pathname, origin), ...rateLimitHeaders(facts.rates) },
    });
  }

  /** The host of the request. @throws AppError `misdirected_request` for an unknown host, and when the proxy forwards no valid one */
  resolveHost(): Host | Promise<Host> {
    if (this.host !== null) return this.host;
    if (this.target === null) throw unknownTarget();
    const found = resolveHost(this.app, this.url.hostname);
    if (found instanceof Promise) return found.then((host) => this.setHost(host));
    return this.setHost(found);
  }

  private setHost(host: Host): Host {
    this.host = host;
    return host;
  }

  /** The context for services, with host and caller resolved. */
  async context(): Promise<Context> {
    const { app, requestId, request, signal, deadline, changes, reading, facts, waitForSlot } = this;
    const authentication = facts.span?.child('authenticate');
    try {
      const host = this.host ?? (await this.resolveHost());
      if (this.actor === null) {
        this.actor = await authenticate(app, request.headers, host, this.url);
        const counting = admitActor(this, this.actor);
        if (counting !== undefined) await counting;
      }
      const { actor } = this;
      const context = {
        ...app,
        requestId,
        signal,
        deadline,
        changes,
        reading,
        facts,
        waitForSlot,
        host,
        actor,
      };
      if (facts.span === null) return context;
      this.operationSpan ??= facts.span.child('operation');
      return { ...context, store: app.store.traced(this.operationSpan) };
    } finally {
      authentication?.end({ failure: null });
    }
  }

  /** Ends the spans, the operation's first if there is one. */
  endSpans(operation: EndOfSpan, exchange: EndOfSpan): void {
    this.operationSpan?.end(operation);
    this.facts.span?.end(exchange);
  }
}
