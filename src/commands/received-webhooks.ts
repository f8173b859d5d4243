// What `webhook listen` prints of a delivery. Strangers may send to it, too: no control character of theirs gets to the terminal. Pure.
import type { IncomingMessage } from 'node:http';
import type { Verification } from '../jobs/delivery/signatures.ts';

/** As senders sign them; receivers refuse what is older. */
const TOLERANCE_SECONDS = 600;

interface Facts {
  readonly request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>;
  readonly body: Buffer;
  readonly prefix: string;
  readonly now: Date;
  /** The status that was answered. */
  readonly answered: number;
  readonly checked: Verification;
  /** Whether a secret was there to check with. */
  readonly isChecked: boolean;
}

/** One delivery, for scripts and for people. */
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

/** JSON as what it says, anything else as its text. */
function parsed(body: Buffer): unknown {
  const text = body.toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function printable(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
