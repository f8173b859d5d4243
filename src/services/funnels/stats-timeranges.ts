// The span of time that statistics cover: whole hours, the last 30 days by default.
import type { Context } from '../../context.ts';
import { invalid, mustBe, outOfRange } from '../../errors.ts';
import { typeOf } from '../../resources/description/field-types.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
export const DEFAULT_DAYS = 30;
export const MAX_DAYS = 366;
/** An end within this time before now is taken for now. Other ends are rounded like starts, so that days do not overlap. */
const NOW_MS = 5 * 60_000;
/** The descriptions of a span's ends, for clients. */
export const SPAN_ENDS = {
  start: `Since when, rounded down to the hour: by default ${DEFAULT_DAYS} days before the end, and at most ${MAX_DAYS}.`,
  end: 'Up to when, rounded down to the hour: by default now, and now at the latest. Now has the whole hour, and a span has at least one.',
} as const;

/** A span of time in whole hours. */
export interface Timerange {
  readonly from: Date;
  readonly to: Date;
}

/**
 * Parses a client's span of time and rounds it to hours; the default is the last 30 days.
 * @param names the client's names for the ends
 * @throws AppError `invalid`
 */
export function parseTimerange(
  ctx: Context,
  start: string | Date | null,
  end: string | Date | null,
  names: readonly [start: string, end: string],
): Timerange {
  const { expected, parse } = typeOf('timestamp');
  const timeOf = (given: string | Date | null, name: string) => {
    const time = given instanceof Date || given === null ? given : parse(given);
    if (time === undefined) throw invalid(name, mustBe(expected));
    return time as Date | null;
  };
  const [first, last] = [timeOf(start, names[0]), timeOf(end, names[1])];
  const now = ctx.clock();
  const until = last === null || last > now ? now : last;
  if (first !== null && first.getTime() >= until.getTime())
    throw invalid(names[0], outOfRange(`before ${until === now ? 'now' : names[1]}`));
  const isNow = until.getTime() > now.getTime() - NOW_MS;
  const endMs = (isNow ? Math.ceil : Math.floor)(until.getTime() / HOUR_MS) * HOUR_MS;
  const fromMs = Math.floor((first?.getTime() ?? endMs - DEFAULT_DAYS * DAY_MS) / HOUR_MS) * HOUR_MS;
  const toMs = Math.max(endMs, fromMs + HOUR_MS);
  if (toMs - fromMs > MAX_DAYS * DAY_MS)
    throw invalid(names[0], outOfRange(`at most ${MAX_DAYS} days before ${names[1]}`));
  return { from: new Date(fromMs), to: new Date(toMs) };
}
