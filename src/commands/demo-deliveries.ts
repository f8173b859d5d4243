// Makes up delivery attempts for the demo's history, by the worker's own code with an invented answer. It sends nothing.
import type { App } from '../context.ts';
import { attempt } from '../jobs/delivery/attempt.ts';
import { nextAttempt } from '../jobs/delivery/retries.ts';
import type { MakeUpAttempts } from '../store/demo/past-records.ts';
import type { Outcome } from '../store/webhooks/delivery-outcomes.ts';

/** The time from the event to the first attempt. */
const FIRST_MS = 240;
/** A text in place of the secrets, which the demo's endpoints do not have: it verifies and signs nothing else. */
const SECRETS = { current: 'none', previous: null };

/** The attempts of a delivery, from the first to the one that succeeds, or the last. They are the same every time. */
export function attemptsMadeUpFor({ config }: Pick<App, 'config'>): MakeUpAttempts {
  return async (endpoint, delivery, event, { code, body: responseStart }) => {
    const outcomes: Outcome[] = [];
    let waitMs: number | null = FIRST_MS;
    let startedAt = delivery.createdAt;
    for (let attemptCount = 0; waitMs !== null; attemptCount++) {
      startedAt = new Date(startedAt.getTime() + waitMs);
      const sent = { startedAt, durationMs: 60 + ((Number(delivery.id) * 37) % 90), code, error: null };
      const sender = { send: async () => ({ ...sent, responseStart, retryAfterMs: null }) };
      const app = { config, clock: () => sent.startedAt };
      const made = { ...delivery, attemptCount, attemptsBefore: 0 };
      const halt = new AbortController().signal;
      const attempted = await attempt({ app, sender }, endpoint, SECRETS, made, event, halt);
      if (attempted === null) throw new TypeError('The attempt was aborted');
      outcomes.push(attempted.outcome);
      waitMs = attempted.outcome.waitMs === null ? null : nextAttempt(attemptCount + 1, null, () => 0.5);
    }
    return outcomes;
  };
}
