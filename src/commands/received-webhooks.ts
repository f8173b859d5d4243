// The output of `webhook listen` for a delivery. Unauthenticated clients can send requests to it, too, so their control characters are
// escaped. Pure.
import type { IncomingMessage } from 'node:http';
import type { Verification } from '../jobs/delivery/signatures.ts';
import { printable } from './shell.ts';

/** Receivers refuse signatures older than this. */
const TOLERANCE_SECONDS = 600;

interface Facts {
  readonly request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>;
  readonly body: Buffer;
  readonly prefix: string;
  readonly now: Date;
  /** The status of the response. */
  readonly answered: number;
  readonly checked: Verification;
  /** Whether a secret was configured to check the signatures with. */
  readonly isChecked: boolean;
}

/** One delivery, as JSON for scripts and as text for people. */
export function toReceived(facts: Facts): { json: unknown; text: string } {
  const { request, body, prefix, now, answered, checked, isChecked } = facts;
  const { method = '', url = '', headers } = request;
  const ours = Object.entries(headers).filter(([name]) =>
    [`${prefix.toLowerCase()}-`, 'webhook-', 'content-type', 'user-agent'].some((start) =>
      name.startsWith(start),
    ),
  );
  const payload = parsed(body);
  const signatures = { prefixed: checked.prefixed, standard: checked.standard };
  const json = {
    received_at: now.toISOString(),
    method,
    path: url,
    headers: Object.fromEntries(ours),
    signatures: isChecked ? signatures : null,
    age_seconds: checked.ageSeconds,
    body: payload,
    answered,
  };
  const lines = [
    `${now.toISOString().slice(11, 19)} ${method} ${url} -> ${answered}`,
    ...ours.map(([name, value]) => `  ${name}: ${value}`),
    `  ${prefix}-Signature is ${isChecked ? checked.prefixed : 'not checked'}, webhook-signature is ${isChecked ? checked.standard : 'not checked'}, ${ageText(checked.ageSeconds)}`,
    ...(typeof payload === 'string' ? JSON.stringify(payload) : JSON.stringify(payload, null, 2)).split('\n'),
  ];
  return { json, text: `${lines.map(printable).join('\n')}\n` };
}

function ageText(seconds: number | null): string {
  if (seconds === null) return 'no timestamp';
  const verdict = Math.abs(seconds) > TOLERANCE_SECONDS ? ', which receivers refuse' : '';
  return seconds < 0
    ? `signed ${-seconds} s ahead of this clock${verdict}`
    : `signed ${seconds} s ago${verdict}`;
}

/** Parses JSON; returns any other body as text. */
function parsed(body: Buffer): unknown {
  const text = body.toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
