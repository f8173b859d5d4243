// Why oidc-provider refused a request: its events are more precise than its responses, for example that a code was already used. This is
// for the log only; clients get what the standards allow.
import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { RequestFacts } from '../telemetry/request-facts.ts';

/** The events with which the library reports that it refuses a request. */
const EVENTS = [
  'authorization.error',
  'grant.error',
  'pushed_authorization_request.error',
  'registration_create.error',
  'revocation.error',
  'introspection.error',
  'jwks.error',
  'discovery.error',
] as const;

/** Members of the library's errors; the detail is never sent to clients. */
interface ProviderError extends Error {
  readonly error?: unknown;
  readonly error_description?: unknown;
  readonly error_detail?: unknown;
}

/** Adds a request's client, and why it was refused, to the request's facts. */
export function reportRefusals(
  provider: Provider,
  factsOf: (request: IncomingMessage) => RequestFacts | undefined,
): void {
  const emitter: EventEmitter = provider;
  for (const event of EVENTS)
    emitter.on(event, (ctx: KoaContextWithOIDC, error: ProviderError) => {
      const facts = factsOf(ctx.req);
      if (facts !== undefined) facts.refusal = toRefusal(error);
    });
  provider.use(async (ctx, next) => {
    await next();
    const facts = factsOf(ctx.req);
    // The client may not be authenticated.
    if (facts !== undefined) facts.client = (ctx as KoaContextWithOIDC).oidc?.client?.clientId ?? null;
  });
}

function toRefusal({ error, error_description: description, error_detail: detail, message }: ProviderError) {
  const code = typeof error === 'string' ? error : 'invalid_request';
  // This error's detail contains the client's input.
  const texts = [description, code === 'invalid_scope' ? undefined : detail];
  const reason = texts.filter((text) => typeof text === 'string').join(': ');
  return { code, reason: reason === '' ? message : reason };
}
