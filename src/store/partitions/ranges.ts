// Which partitions by time there should be: those of the present, and of the days ahead. Pure; times are milliseconds since 1970.

/** From `fromMs` on, before `toMs`. */
export interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

export const DAY_MS = 86_400_000;

/** Partitions are there so long before they are needed: whoever hinders it for a few days, such as a long dump, does no harm. */
export const AHEAD_DAYS = 7;

/**
 * How many days a partition is for: a tenth of what rows are kept for, and a whole day at least. So about a dozen hold them, few enough
 * for statements that look into each, and rows go at most a tenth later than they might.
 */
export function spanOf(keepDays: number): number {
  return Math.max(1, Math.ceil(keepDays / 10));
}

/**
 * The time from the span of `nowMs` to that of `AHEAD_DAYS` later which no partition is for, cut where spans end (they are counted from
 * 1970). In the order of time; however far the clock has moved, only what is needed from there on.
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

/** What the others leave of a range. */
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

/** Up to when there is a partition for every moment from `nowMs` on; `nowMs` where there is none for now. */
export function coveredUntil(existing: readonly Range[], nowMs: number): number {
  let untilMs = nowMs;
  for (const { fromMs, toMs } of existing.toSorted((one, other) => one.fromMs - other.fromMs))
    if (fromMs <= untilMs && toMs > untilMs) untilMs = toMs;
  return untilMs;
}

/**
 * What a partition can be made for of a range: not for the time of rows that stand in the default one, which do not move. Where new
 * ones come in, it begins at the next midnight; where the default one is large, a day later, which is enough to read it.
 * @param youngestMs of the rows of the range in the default one; null where there is none
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

/** The first midnight (UTC) behind a moment. */
function nextMidnight(ms: number): number {
  return (Math.floor(ms / DAY_MS) + 1) * DAY_MS;
}
