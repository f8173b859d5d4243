// Endpoints whose subscription has ended permanently: their pending deliveries are canceled, including those of changes that still saw the
// endpoint as active.

/** Reasons for a deactivation that end the subscription. For others, pending deliveries wait for the activation. */
const ENDINGS = ['gone', 'unauthorized'] as const;

/** Why the gateway deactivates: every attempt has failed for days, the endpoint answered 410, or its subscriber may no longer see such events. */
export type Cause = 'failing' | (typeof ENDINGS)[number];

/** Whether a deactivation for this reason ends the subscription. */
export function isEnding(reason: Cause): boolean {
  return (ENDINGS as readonly string[]).includes(reason);
}

/** SQL: whether the subscription of the endpoint `e` has ended. */
export const HAS_ENDED = `e.deactivation_reason in (${ENDINGS.map((reason) => `'${reason}'`).join(', ')})`;

/** SQL: whether a worker has something to do with due deliveries of the endpoint `e`: it sends them, or cancels them. */
export const NEEDS_WORKER = `((e.deactivated_at is null or ${HAS_ENDED}) and e.secret is not null)`;
