// What the cancellation of a delivery assigns, for cancellations by the gateway itself.

/** The assignments for a delivery that is canceled. */
export const CANCELED = "status = 'canceled', next_attempt_at = null, updated_at = current_timestamp";
