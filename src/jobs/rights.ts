// Whether whoever subscribed an endpoint may still be told of an event, asked again every few seconds.
import type { mayReceive } from '../services/webhook-rights.ts';

type Ask = typeof mayReceive;

/** An answer is used for so long. */
const FRESH_MS = 5_000;

/** The rights behind one endpoint, by types of event: there are few. */
export function createRights(ask: Ask): Ask {
  const answers = new Map<string, { readonly at: number; readonly may: Promise<boolean> }>();
  return (app, endpoint, eventType) => {
    const now = Date.now();
    const known = answers.get(eventType);
    if (known !== undefined && now - known.at < FRESH_MS) return known.may;
    const may = ask(app, endpoint, eventType);
    answers.set(eventType, { at: now, may });
    return may;
  };
}
