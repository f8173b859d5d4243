// Holds the current Provider of oidc-provider and passes requests to it. When the signing keys change, a new Provider replaces it:
// creating one takes less than a millisecond, and all state is in the store.
import type { IncomingMessage } from 'node:http';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { signingKeys } from '../auth/signing-keys.ts';
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import type { RequestFacts } from '../telemetry/request-facts.ts';
import { type NodeExchange, toNode } from './node-http.ts';
import type { OauthRequest } from './oauth-request.ts';
import { createProvider } from './provider.ts';
import { reportRefusals } from './refusals.ts';

export interface Engine {
  readonly app: App;
  /** The path of {auth_url}, without a trailing slash. */
  readonly base: string;
  /** @throws AppError `unavailable` when the store does not return the keys */
  provider(): Promise<Provider>;
  /** The request without its body, and a response to it, in the form of node:http, for the provider's own functions. */
  toNode(request: OauthRequest): NodeExchange;
  /**
   * The provider's answer.
   * @param body replaces the request's own body
   * @throws AppError when the store threw it within the provider
   */
  answer(request: OauthRequest, body?: Uint8Array): Promise<Response>;
}

type Callback = ReturnType<Provider['callback']>;

/** Loads keys and creates a provider at the first use. @param offered the scopes that clients can request */
export function createEngine(app: App, offered: ReadonlySet<string>): Engine {
  const issuer = new URL(app.config.authUrl);
  const failures = new WeakMap<IncomingMessage, unknown>();
  const facts = new WeakMap<IncomingMessage, RequestFacts>();
  let current: { version: string; provider: Provider; callback: Callback } | null = null;

  async function running(): Promise<{ provider: Provider; callback: Callback }> {
    const keys = await signingKeys(app);
    if (current?.version === keys.version) return current;
    const provider = createProvider(app, keys, offered);
    provider.on('server_error', (ctx: KoaContextWithOIDC, error: Error) => failures.set(ctx.req, error));
    reportRefusals(provider, (req) => facts.get(req));
    current = { version: keys.version, provider, callback: provider.callback() };
    return current;
  }

  function toExchange({ raw, address, requestId }: OauthRequest, body: Uint8Array | null): NodeExchange {
    return toNode(raw, { issuer, mount: app.config.authPath, address, requestId, body });
  }

  return {
    app,
    base: app.config.authPath,
    provider: async () => (await running()).provider,
    toNode: (request) => toExchange(request, null),
    async answer(request, body) {
      const { callback } = await running();
      const { req, res, done } = toExchange(request, body ?? (await request.body()));
      facts.set(req, request.facts);
      callback(req, res);
      const answer = await done;
      const failure = failures.get(req);
      if (failure instanceof AppError) throw failure;
      if (failure !== undefined)
        app.log.error({ err: failure, requestId: request.requestId }, 'authorization server');
      return answer;
    },
  };
}
