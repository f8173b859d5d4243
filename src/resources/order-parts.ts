// What several nouns of an order show: a contact, where a visitor came from, and fields of which the gateway knows nothing.
import { contact } from './contacts.ts';
import type { Fields } from './resource.ts';

const TEXT = { type: 'text', description: 'Not known to the gateway.' } as const;
const TIME = { type: 'timestamp', description: 'Not known to the gateway.' } as const;

/** Of a visit nothing is known. */
const VISIT = {
  type: 'jsonb',
  nullable: true,
  object: {
    ...{
      uuid: TEXT,
      ip: TEXT,
      userAgent: TEXT,
      browser: TEXT,
      os: TEXT,
      deviceType: TEXT,
      landingPage: TEXT,
    },
    ...{ referrer: TEXT, referringDomain: TEXT, utmSource: TEXT, utmMedium: TEXT, utmCampaign: TEXT },
    ...{ utmTerm: TEXT, utmContent: TEXT, startedAt: TIME, createdAt: TIME, updatedAt: TIME },
  },
  description: 'Nothing is known of visits: null.',
} as const;

export const VISITS = { lastVisit: VISIT, lastVisitWithUtm: VISIT } as const satisfies Fields;

/** A contact inside another object. */
export const CONTACT_INSIDE = {
  ...contact.fields,
  visits: {
    type: 'jsonb',
    object: { firstVisit: VISIT, ...VISITS },
    description: 'The visits of the contact, of which nothing is known.',
  },
} as const satisfies Fields;

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
