// A visit to a page: the report of a page renderer, and the visits of a contact. Not a noun, since nothing lists visits.
import type { Fields, RowOf } from './description/fields.ts';

/** The most visits in one report. */
export const MAX_VISITS = 500;

const TEXT = { type: 'text', nullable: true, optional: true, maxLength: 2_000 } as const;
const UTM = { ...TEXT, maxLength: 255 } as const;

/** The origin and the browser of a visitor: personal data in text columns. */
export const ORIGIN = {
  utmSource: { ...UTM, description: 'The source of the campaign, such as `newsletter`.' },
  utmMedium: { ...UTM, description: 'The medium of the campaign, such as `email`.' },
  utmCampaign: { ...UTM, description: 'The name of the campaign.' },
  utmTerm: { ...UTM, description: 'The paid search terms.' },
  utmContent: { ...UTM, description: 'The content that distinguishes several links of the campaign.' },
  ip: { ...TEXT, format: 'ip', maxLength: 45, description: 'The IP address of the visitor.' },
  userAgent: { ...TEXT, maxLength: 1_000, description: 'The User-Agent header of the visitor’s browser.' },
  referrer: { ...TEXT, description: 'The URL of the page from which the visitor came.' },
  landingPage: { ...TEXT, description: 'The URL that the visitor opened.' },
} as const satisfies Fields;
const UUID = { type: 'text', format: 'uuid', description: 'The UUID of the visit.' } as const;

/** The report of a visit. */
export const VISIT_INPUT = {
  uuid: {
    ...UUID,
    required: true,
    description:
      'The UUID of the visit. A page counts the same UUID only once in 24 hours, so that retries are safe.',
  },
  contactId: {
    type: 'int8',
    restAsText: true,
    idsOf: { type: 'Contact', title: 'Contact', table: 'contacts' },
    nullable: true,
    optional: true,
    description: 'The integer id or the public id of the contact. Send either this or the visitor id.',
  },
  visitorId: {
    ...TEXT,
    maxLength: 255,
    description:
      'The page renderer’s id of a visitor who is not a known contact, such as the value of a cookie.',
  },
  ...ORIGIN,
  startedAt: {
    type: 'timestamp',
    nullable: true,
    optional: true,
    description:
      'When the visit began. By default the time of the request. At most one hour in the future and 30 days in the past.',
  },
} as const satisfies Fields;

/** A validated report of a visit. */
export interface ParsedVisit extends RowOf<typeof VISIT_INPUT> {}

/** The members that are optional in a report but always in the output. */
const SHOWN_ORIGIN = Object.fromEntries(
  Object.entries(ORIGIN).map(([name, { optional: _, ...field }]) => [name, field]),
) as { readonly [Name in keyof typeof ORIGIN]: Omit<(typeof ORIGIN)[Name], 'optional'> };

const KNOWN = { type: 'text', nullable: true } as const;
const TIME = { type: 'timestamp' } as const;

/** A visit in the output. */
export const VISIT = {
  uuid: UUID,
  ...SHOWN_ORIGIN,
  referringDomain: { ...KNOWN, description: 'The host of the referrer.' },
  browser: { ...KNOWN, description: 'The browser, if the user agent identifies it.' },
  os: { ...KNOWN, description: 'The operating system, if the user agent identifies it.' },
  deviceType: {
    ...KNOWN,
    description:
      'The type of device, such as `desktop`, `mobile` or `tablet`, if the user agent identifies it.',
  },
  startedAt: { ...TIME, description: 'When the visit began.' },
  createdAt: { ...TIME, description: 'When the visit was recorded.' },
  updatedAt: { ...TIME, description: 'When the visit was recorded. Visits never change.' },
} as const satisfies Fields;

export interface VisitRow extends RowOf<typeof VISIT> {}

/** The visits of a contact. */
export const CONTACT_VISITS = {
  firstVisit: { type: 'jsonb', nullable: true, object: VISIT, description: 'The earliest visit.' },
  lastVisit: { type: 'jsonb', nullable: true, object: VISIT, description: 'The latest visit.' },
  lastVisitWithUtm: {
    type: 'jsonb',
    nullable: true,
    object: VISIT,
    description: 'The latest visit with a UTM parameter.',
  },
} as const satisfies Fields;

export interface ContactVisitsRow extends RowOf<typeof CONTACT_VISITS> {}
