// Fields that several nouns of an order share: amounts, the origin of a visitor, and what an object is called.
import type { Fields } from '../description/fields.ts';
import { VISIT } from '../visits.ts';

const VISIT_BEFORE = {
  type: 'jsonb',
  nullable: true,
  object: VISIT,
  description: 'Always null: the gateway does not record the visits before an order.',
} as const;

export const VISITS = { lastVisit: VISIT_BEFORE, lastVisitWithUtm: VISIT_BEFORE } as const satisfies Fields;

/** The ids and the name of an object. */
export const IDS_AND_NAME = {
  id: { type: 'int8', description: 'The integer id.' },
  publicId: { type: 'text', description: 'The short public id.' },
  name: { type: 'text', description: 'The name.' },
} as const satisfies Fields;

/** The currency of amounts. */
export const CURRENCY = {
  type: 'currency',
  description: 'The currency of all amounts of the order (ISO 4217).',
} as const;

/** Computed sums and amounts, which clients cannot set. */
export const AMOUNT = { type: 'decimal', currency: 'currency' } as const;
