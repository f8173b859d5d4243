// What the bytes of bodies and answers cost in points.

/** A point for every so many bytes of a body. */
const BODY_BYTES_PER_POINT = 48 * 1024;
/** A point pays for so many bytes of the answer, and for half as many where they are compressed. */
const ANSWER_BYTES_PER_POINT = 32 * 1024;

/** The points of a body of so many bytes: none of a small one. */
export function pointsOfBody(bytes: number): number {
  return Math.floor(bytes / BODY_BYTES_PER_POINT);
}

/** The points of an answer of so many bytes before it was compressed. */
export function pointsOfAnswer(bytes: number, isCompressed: boolean): number {
  return Math.floor((bytes * (isCompressed ? 2 : 1)) / ANSWER_BYTES_PER_POINT);
}
