// The words that saved filters of the demo are written in.
import type { Criterion } from '../../../resources/refine-filters.ts';
import type { FilterData } from './shape.ts';

/** A filter whose criteria all hold. */
export const filter = (name: string, ...criteria: Criterion[]): FilterData => ({ name, criteria });

/** With one of these tags. */
export const tagged = (...tags: string[]): Criterion => ({ attribute: 'tags.id', clause: 'in', value: tags });
/** Without all of these tags. */
export const untagged = (...tags: string[]): Criterion => ({
  attribute: 'tags.id',
  clause: 'nin',
  value: tags,
});

/** With a time in so many last days. */
export const within = (days: number, attribute: string): Criterion => ago(attribute, 'lt', days);
/** With a time before so many days. */
export const before = (days: number, attribute: string): Criterion => ago(attribute, 'gt', days);

function ago(attribute: string, clause: string, days: number): Criterion {
  return { attribute, clause, value: { days: String(days), modifier: 'ago' } };
}

export const isSet = (attribute: string): Criterion => ({ attribute, clause: 'st' });
export const isNotSet = (attribute: string): Criterion => ({ attribute, clause: 'nst' });

/** With this very value. */
export const equals = (attribute: string, value: string | boolean): Criterion => ({
  attribute,
  clause: 'eq',
  value,
});
