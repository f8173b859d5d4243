// What the cancellation of a delivery assigns, for whoever cancels one without a client's request.

/** The assignments for a delivery that is canceled. */
export const CANCELED = "status = 'canceled', next_attempt_at = null, updated_at = current_timestamp";
