// Parses durations and times on the command line: 30m, 12h, 90d, 2w, 2027-01-31. Pure.
import { invalid, mustBe } from '../errors.ts';

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** The duration in milliseconds. @throws AppError `invalid` blaming `field` */
export function parseDuration(field: string, text: string): number {
  const duration = toDuration(text);
  if (duration === null) throw invalid(field, mustBe('a time such as 30m, 12h, 90d or 2w'));
  return duration;
}

/** A time: a duration from now, or a date (midnight UTC unless it has a time). @throws AppError `invalid` */
export function parseMoment(field: string, text: string, now: Date): Date {
  const duration = toDuration(text);
  const moment =
    duration !== null
      ? now.getTime() + duration
      : /^\d{4}-\d\d-\d\d(T\S+)?$/.test(text)
        ? Date.parse(text)
        : Number.NaN;
  if (Number.isNaN(moment))
    throw invalid(field, mustBe('a time from now such as 30m, 12h, 90d or 2w, or a date such as 2027-01-31'));
  return new Date(moment);
}

function toDuration(text: string): number | null {
  const [, digits, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  return digits === undefined ? null : Number(digits) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
