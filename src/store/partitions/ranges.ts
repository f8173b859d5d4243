// Computes which time partitions should exist: for the present and the coming days. Pure; times are milliseconds since 1970.

/** From `fromMs` on, before `toMs`. */
export interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

export const DAY_MS = 86_400_000;

/** How many days ahead partitions are created. If creation is blocked for a few days, for example by a long dump, nothing is lost. */
export const AHEAD_DAYS = 7;

/**
 * The number of days of a partition: a tenth of the retention time, at least one day. So about a dozen partitions exist, few enough for
 * statements that read each, and rows are deleted at most a tenth later than necessary.
 */
export function spanOf(keepDays: number): number {
  return Math.max(1, Math.ceil(keepDays / 10));
}

/**
 * The ranges without a partition from the span of `nowMs` to that of `AHEAD_DAYS` later, split at the ends of spans (counted from 1970).
 * Ordered by time. If the clock has jumped, only what is needed from there on.
 */
export function missingRanges(existing: readonly Range[], nowMs: number, spanDays: number): Range[] {
  const spanMs = spanDays * DAY_MS;
  const missing: Range[] = [];
  for (
    let fromMs = Math.floor(nowMs / spanMs) * spanMs;
    fromMs <= nowMs + AHEAD_DAYS * DAY_MS;
    fromMs += spanMs
  )
    missing.push(...without({ fromMs, toMs: fromMs + spanMs }, existing));
  return missing;
}

/** The parts of a range that the others do not cover. */
function without(range: Range, others: readonly Range[]): Range[] {
  return others.reduce<Range[]>(
    (left, other) =>
      left.flatMap(({ fromMs, toMs }) =>
        [
          { fromMs, toMs: Math.min(toMs, Math.max(fromMs, other.fromMs)) },
          { fromMs: Math.max(fromMs, Math.min(toMs, other.toMs)), toMs },
        ].filter((part) => part.fromMs < part.toMs),
      ),
    [range],
  );
}

/** The time until which partitions cover every moment from `nowMs` on; `nowMs` if there is none for now. */
export function coveredUntil(existing: readonly Range[], nowMs: number): number {
  let untilMs = nowMs;
  for (const { fromMs, toMs } of existing.toSorted((one, other) => one.fromMs - other.fromMs))
    if (fromMs <= untilMs && toMs > untilMs) untilMs = toMs;
  return untilMs;
}

/**
 * The part of a range for which a partition can be created: not for the time of rows in the default partition, which do not move. If new
 * rows go there, it begins at the next midnight; if the default partition is large, a day later, which leaves time to read it.
 * @param youngestMs the newest row of the range in the default partition; null where there is none
 */
export function freePart(
  { fromMs, toMs }: Range,
  { youngestMs, nowMs, isLarge }: { youngestMs: number | null; nowMs: number; isLarge: boolean },
): Range | null {
  let beginMs = fromMs;
  if (youngestMs !== null) beginMs = nextMidnight(Math.max(youngestMs, nowMs));
  if (isLarge) beginMs = Math.max(beginMs, nextMidnight(nowMs + DAY_MS));
  return beginMs < toMs ? { fromMs: beginMs, toMs } : null;
}

/** The first midnight (UTC) after a moment. */
function nextMidnight(ms: number): number {
  return (Math.floor(ms / DAY_MS) + 1) * DAY_MS;
}
