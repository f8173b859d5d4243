// One delivery attempt: the signed request, and the resulting state of the delivery.
import type { App } from '../../context.ts';
import { openSecret } from '../../services/webhooks/webhook-secrets.ts';
import type { DueDelivery, DueEndpoint, DueEvent } from '../../store/webhooks/deliveries-due.ts';
import type { Outcome } from '../../store/webhooks/delivery-outcomes.ts';
import { isDelivered, nextAttempt } from './retries.ts';
import type { Sender } from './sender.ts';
import { signatureHeaders } from './signatures.ts';

/** The outcome of an attempt, and the milliseconds that the receiver asks to wait. */
export interface Attempted {
  readonly outcome: Outcome;
  readonly retryAfterMs: number | null;
}

/** The decrypted secrets of an endpoint. */
export interface Secrets {
  readonly current: string;
  readonly previous: string | null;
}

/**
 * Decrypts an endpoint's secrets. A previous secret that cannot be decrypted is ignored: the secret may be replaced because its encryption
 * key was lost.
 * @throws Error when the current secret cannot be decrypted
 */
export function openSecrets(app: App, { secret, previousSecret }: DueEndpoint): Secrets {
  return { current: openSecret(app, secret), previous: openPrevious(app, previousSecret) };
}

function openPrevious(app: App, sealed: Uint8Array | null): string | null {
  try {
    return sealed && openSecret(app, sealed);
  } catch {
    return null;
  }
}

/**
 * Sends a delivery once.
 * @param halt aborts the attempt at once
 * @returns null for an aborted attempt, which does not count
 */
export async function attempt(
  { app, sender }: { readonly app: Pick<App, 'clock' | 'config'>; readonly sender: Pick<Sender, 'send'> },
  endpoint: Pick<DueEndpoint, 'id' | 'workspaceId' | 'url'>,
  secrets: Secrets,
  delivery: Pick<DueDelivery, 'id' | 'createdAt' | 'attemptCount' | 'attemptsBefore'>,
  event: DueEvent,
  halt: AbortSignal,
): Promise<Attempted | null> {
  const { url, workspaceId } = endpoint;
  const body = toDeliveryBody(event, workspaceId);
  const { headerPrefix: prefix } = app.config.webhooks;
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'funnel-gateway',
    ...signatureHeaders({ prefix, id: event.uuid, at: app.clock(), body, secrets }),
  };
  const sent = await sender.send({ url, headers, body }, halt);
  if (halt.aborted && sent.error !== null) return null;
  const number = delivery.attemptCount + 1;
  const isSuccess = isDelivered(sent);
  const waitMs = isSuccess ? null : nextAttempt(number - delivery.attemptsBefore, sent.retryAfterMs);
  const outcome: Outcome = {
    ...{
      workspaceId,
      endpointId: endpoint.id,
      deliveryId: delivery.id,
      deliveryCreatedAt: delivery.createdAt,
    },
    ...{ number, startedAt: sent.startedAt, durationMs: sent.durationMs, url, requestHeaders: headers },
    code: sent.code,
    error: sent.error,
    responseStart: sent.responseStart,
    status: isSuccess ? 'delivered' : waitMs === null ? 'failed' : 'pending',
    waitMs,
  };
  return { outcome, retryAfterMs: sent.retryAfterMs };
}

/** The JSON body for receivers. It has the subject's data exactly as the event recorded it, and every attempt has the same body. */
export function toDeliveryBody(event: DueEvent, workspaceId: bigint): string {
  const { uuid, type, subjectId, subjectType, data, page, funnel, apiVersion, createdAt } = event;
  return `{"event_id":"${uuid}","event_type":${JSON.stringify(type)},"subject_id":${subjectId},"subject_type":${JSON.stringify(subjectType)},"data":${data},"page":${page},"funnel":${funnel},"workspace_id":${workspaceId},"api_version":${apiVersion},"created_at":"${createdAt.toISOString()}"}`;
}
