// Part i: events and webhooks. None of its subjects may run beside another gateway, which would deliver, too.
import pg from 'pg';
import { attempt, type Bench, type Row } from './bench.ts';
import { measureDeliveries } from './webhooks/deliveries.ts';
import { measureFirstAttempts } from './webhooks/first-attempts.ts';
import { measureToldCreates } from './webhooks/told-creates.ts';

export interface WebhookResult {
  /** Deliveries a second / those of a loop over pg-boss. */
  readonly vsLoop: number | null;
  /** Contacts created a second with events / without. */
  readonly withEvents: number | null;
  readonly firstAttemptP99Ms: number | null;
  readonly rows: Row[];
}

/** Runs its three measurements. No other subject may run. */
export async function measureWebhooks(bench: Bench): Promise<WebhookResult> {
  const client = new pg.Client({ connectionString: bench.dataset.url });
  await client.connect();
  try {
    const deliveries = await attempt(bench, 'deliveries', () => measureDeliveries(bench, client));
    const creates = await attempt(bench, 'creating with events', () => measureToldCreates(bench, client));
    const perSecond = creates?.perSecond ?? null;
    const first =
      perSecond === null
        ? null
        : await attempt(bench, 'first attempts', () => measureFirstAttempts(bench, client, perSecond));
    return {
      vsLoop: deliveries?.ratio ?? null,
      withEvents: creates?.ratio ?? null,
      firstAttemptP99Ms: first?.p99Ms ?? null,
      rows: [...(deliveries?.rows ?? []), ...(creates?.rows ?? []), ...(first?.rows ?? [])],
    };
  } finally {
    await client.end();
  }
}
