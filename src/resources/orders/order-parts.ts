// What several nouns of an order show: where a visitor came from, and fields of which the gateway knows nothing.
import type { Fields } from '../resource.ts';
import { VISIT } from '../visits.ts';

const VISIT_BEFORE = {
  type: 'jsonb',
  nullable: true,
  object: VISIT,
  description: 'Nothing is known of the visits before an order: null.',
} as const;

export const VISITS = { lastVisit: VISIT_BEFORE, lastVisitWithUtm: VISIT_BEFORE } as const satisfies Fields;

/** The name of something, with its ids. */
export const NAMED = {
  id: { type: 'int8', description: 'The integer id.' },
  publicId: { type: 'text', description: 'The short public id.' },
  name: { type: 'text', description: 'The name.' },
} as const satisfies Fields;

/** A text of which the gateway knows nothing. */
export const UNKNOWN = {
  type: 'text',
  nullable: true,
  description: 'Not known to the gateway: null.',
} as const;
