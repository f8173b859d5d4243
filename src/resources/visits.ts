// A visit to a page: the report of a page renderer, and the visits of a contact. Not a noun, since nothing lists visits.
import type { Fields, RowOf } from './resource.ts';

/** The most visits in one report. */
export const MAX_VISITS = 500;

const TEXT = { type: 'text', nullable: true, optional: true, maxLength: 2_000 } as const;
const UTM = { ...TEXT, maxLength: 255 } as const;

/** The origin and the browser of a visitor: personal data in text columns. */
export const ORIGIN = {
  utmSource: { ...UTM, description: 'The campaign’s source, such as `newsletter`.' },
  utmMedium: { ...UTM, description: 'The campaign’s medium, such as `email`.' },
  utmCampaign: { ...UTM, description: 'The name of the campaign.' },
  utmTerm: { ...UTM, description: 'The search terms that were paid for.' },
  utmContent: { ...UTM, description: 'Which of several links of the campaign it was.' },
  ip: { ...TEXT, format: 'ip', maxLength: 45, description: 'The IP address of the visitor.' },
  userAgent: { ...TEXT, maxLength: 1_000, description: 'The visitor’s browser, as it calls itself.' },
  referrer: { ...TEXT, description: 'The URL of the page that the visitor came from.' },
  landingPage: { ...TEXT, description: 'The URL that the visitor opened.' },
} as const satisfies Fields;
const UUID = { type: 'text', format: 'uuid', description: 'The UUID of the visit.' } as const;

/** The report of a visit. */
export const VISIT_INPUT = {
  uuid: {
    ...UUID,
    required: true,
    description: 'The UUID of the visit, which a page counts once in 24 hours: a retry is safe.',
  },
  contactId: {
    type: 'int8',
    restAsText: true,
    idsOf: { type: 'Contact', title: 'Contact', table: 'contacts' },
    nullable: true,
    optional: true,
    description:
      'The integer id or the public id of the contact. Either this is given or what the visitor is called.',
  },
  visitorId: {
    ...TEXT,
    maxLength: 255,
    description: 'What the renderer calls a visitor who is not known to be a contact, such as a cookie.',
  },
  ...ORIGIN,
  startedAt: {
    type: 'timestamp',
    nullable: true,
    optional: true,
    description: 'When it began: by default when it arrives. At most an hour ahead, and 30 days ago.',
  },
} as const satisfies Fields;

/** A validated report of a visit. */
export interface GivenVisit extends RowOf<typeof VISIT_INPUT> {}

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
  browser: { ...KNOWN, description: 'The browser, as far as `user_agent` tells.' },
  os: { ...KNOWN, description: 'The operating system, as far as `user_agent` tells.' },
  deviceType: {
    ...KNOWN,
    description: 'Such as `desktop`, `mobile` or `tablet`, as far as `user_agent` tells.',
  },
  startedAt: { ...TIME, description: 'When it began.' },
  createdAt: { ...TIME, description: 'When it arrived.' },
  updatedAt: { ...TIME, description: 'When it arrived: a visit does not change.' },
} as const satisfies Fields;

export interface VisitRow extends RowOf<typeof VISIT> {}

/** The visits of a contact. */
export const CONTACT_VISITS = {
  firstVisit: { type: 'jsonb', nullable: true, object: VISIT, description: 'The one that began first.' },
  lastVisit: { type: 'jsonb', nullable: true, object: VISIT, description: 'The one that began last.' },
  lastVisitWithUtm: {
    type: 'jsonb',
    nullable: true,
    object: VISIT,
    description: 'The one that began last of those with a UTM parameter.',
  },
} as const satisfies Fields;

export interface ContactVisitsRow extends RowOf<typeof CONTACT_VISITS> {}
