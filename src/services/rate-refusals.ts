// The error for a request that a rate limit refuses.
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import type { Counter } from '../rates/counter.ts';
import type { RequestFacts } from '../telemetry/request-facts.ts';

/** A request that a limit refuses. */
export interface Refused {
  readonly app: Pick<App, 'metrics'>;
  readonly facts: RequestFacts;
}

/** Creates the error, and counts the refusal under the limit's name. */
export function refusal({ app, facts }: Refused, { name }: Counter, waitMs: number): AppError {
  facts.limit = name;
  app.metrics.countRateLimited(name);
  return new AppError('too_many_requests', MESSAGES[name] ?? 'Too many requests.', {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
  });
}

const MESSAGES: Readonly<Record<string, string>> = {
  key: 'This API key has sent too many requests. The header RateLimit says when it may send more.',
  client: 'This OAuth client has sent too many requests. The header RateLimit says when it may send more.',
  team: 'The keys and clients of this team have sent too many requests. The header RateLimit says when they may send more.',
  address: 'Too many requests without valid credentials came from this address.',
};
