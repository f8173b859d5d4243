// The SQL with which the gateway itself cancels deliveries.

/** The assignments for a delivery that is canceled. */
export const CANCELED = "status = 'canceled', next_attempt_at = null, updated_at = current_timestamp";
