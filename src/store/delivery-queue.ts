// The queue of endpoints that have deliveries due (DESIGN §13).

export interface DeliveryQueue {
  /** Tells workers, soon and in the background, that endpoints have something due. What is lost on the way, the sweep finds. */
  announce(endpointIds: readonly bigint[]): void;
}

/** The queue. */
export function createDeliveryQueue(): DeliveryQueue {
  return { announce() {} };
}
