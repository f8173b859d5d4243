// One HTTP exchange: what is known of a request before any face sees it. Host and caller are looked up when first asked
// for, so that paths which need neither cost neither.
import type { Actor } from './auth/actor.ts';
import { authenticate } from './auth/authenticate.ts';
import { clientAddress, type Host, publicUrl, resolveHost } from './auth/hosts.ts';
import { redactTokens } from './auth/tokens.ts';
import type { App, Context } from './context.ts';

/** What Hono hands to handlers as `c.env`. */
export interface HttpEnv {
  Bindings: { exchange: Exchange };
}

/** The peer's address, as the socket has it; behind a proxy that is the proxy's. */
export interface Peer {
  readonly address: string | undefined;
}

/** Ids that callers may give their requests: visible, short, harmless in a log line. */
const SANE_REQUEST_ID = /^[\w.:+/=@-]{1,128}$/;

/** A key that was sent as the id, by mistake, would be logged with every line. */
function isSaneRequestId(given: string): boolean {
  return SANE_REQUEST_ID.test(given) && redactTokens(given) === given;
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
  private readonly peer: Peer | undefined;
  private dressed: Response | null = null;

  constructor(app: App, request: Request, peer: Peer | undefined) {
    const given = request.headers.get('x-request-id');
    this.app = app;
    this.request = request;
    this.requestId = given !== null && isSaneRequestId(given) ? given : crypto.randomUUID();
    this.url = publicUrl(app, request, peer?.address);
    this.peer = peer;
  }

  /** The client's address, behind any proxy of ours; `unknown` where there is no socket. */
  get address(): string {
    return clientAddress(this.app, this.request, this.peer?.address);
  }

  /** The answer that a handler made, with the headers of every answer: made once, for headers are dear to change. */
  respond({ status, headers, body }: Reply): Response {
    this.dressed = new Response(body, { status, headers: { ...headers, ...this.commonHeaders() } });
    return this.dressed;
  }

  /** Any other answer, with the headers of every answer. */
  dress(response: Response): Response {
    if (response === this.dressed) return response;
    for (const [name, value] of Object.entries(this.commonHeaders())) response.headers.set(name, value);
    return response;
  }

  private commonHeaders(): Record<string, string> {
    return { 'X-Request-Id': this.requestId, 'X-Content-Type-Options': 'nosniff' };
  }

  /** @throws AppError `misdirected_request` for a host that is nobody's */
  async resolveHost(): Promise<Host> {
    this.host ??= await resolveHost(this.app, this.url.hostname);
    return this.host;
  }

  /** The context of a request to a host of ours, its caller known. */
  async context(): Promise<Context> {
    const { app, requestId, request } = this;
    const host = await this.resolveHost();
    this.actor ??= await authenticate(app, request.headers, host, this.url);
    return { ...app, requestId, host, actor: this.actor };
  }
}
