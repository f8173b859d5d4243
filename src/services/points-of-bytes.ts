// How many points the bytes of request bodies and responses cost.

/** Bytes of a request body that cost one point. */
const BODY_BYTES_PER_POINT = 48 * 1024;
/** Bytes of a response that cost one point; half as many if the response is compressed. */
const ANSWER_BYTES_PER_POINT = 32 * 1024;

/** The points of a request body of `bytes`; a small one costs none. */
export function pointsOfBody(bytes: number): number {
  return Math.floor(bytes / BODY_BYTES_PER_POINT);
}

/** The points of a response with `bytes` before compression. */
export function pointsOfAnswer(bytes: number, isCompressed: boolean): number {
  return Math.floor((bytes * (isCompressed ? 2 : 1)) / ANSWER_BYTES_PER_POINT);
}
