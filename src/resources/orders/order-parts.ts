// Fields that several nouns of an order share: the origin of a visitor, and fields that are always null.
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
