// Ranges of times, as filters and criteria take them: from the first time on, and before the second.
import { builder } from './builder.ts';

/** A range in an input. An end that is missing is open. */
export interface TimeRange {
  readonly from?: string | null;
  readonly to?: string | null;
}

export const TimeRangeInput = builder.inputType('TimeRangeInput', {
  description: 'A range of times. Without a start or an end, the range is open.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'The start of the range, included.' }),
    to: t.field({ type: 'DateTime', description: 'The end of the range, excluded.' }),
  }),
});
