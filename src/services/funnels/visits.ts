// Visits to pages, as the renderer of the pages reports them.
import { requireScope, scopeFor } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import {
  AppError,
  type Fault,
  type FieldError,
  invalid,
  invalidFields,
  notFound,
  outOfRange,
} from '../../errors.ts';
import type { Fields } from '../../resources/description/fields.ts';
import { type PageRow, page } from '../../resources/pages.ts';
import { MAX_VISITS, type ParsedVisit, VISIT_INPUT } from '../../resources/visits.ts';
import { type NewVisit, recordVisits } from '../../store/changing/visits.ts';
import { violationOf } from '../../store/connections/failures.ts';
import { findByIds } from '../../store/reading/rows.ts';
import { contactTable } from '../../store/tables/contacts.ts';
import { pageTable } from '../../store/tables/pages.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { type Input, parseFields } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { chargeCreatedRows } from '../limits/rate-limits.ts';
import { requireRow } from '../reading/reads.ts';
import type { Ref } from '../reading/refs.ts';

const PAGES = tableOf(pageTable);
const CONTACTS = tableOf(contactTable);

export const writeScope = scopeFor(page, 'write');

/** One visit, or several. */
export const VISITS_INPUT = {
  visit: { type: 'json', object: VISIT_INPUT, description: 'One visit.' },
  visits: {
    type: 'json',
    items: VISIT_INPUT,
    itemType: 'Visit',
    maxLength: MAX_VISITS,
    description: 'A visit to report.',
  },
} as const satisfies Fields;

const HOUR_MS = 3_600_000;
const MAX_AGE_MS = 30 * 24 * HOUR_MS;
const MAX_ERRORS = 20;

/**
 * Records visits to a page. Changes no contacts and creates no events. Skips visits whose uuid the page has received in the last 24 hours.
 * @returns the page
 * @throws AppError `not_found` for the page; `invalid` blaming members; `precondition_failed`: visits have no entity tag
 */
export async function record(ctx: Context, ref: Ref, input: Input, options: WriteOptions): Promise<PageRow> {
  const { tenancy } = requireScope(ctx, writeScope);
  const visits = parse(ctx, input);
  if (options.precondition !== null)
    throw new AppError('precondition_failed', 'Visits have no entity tag. Send them without If-Match.');
  const row = await requireRow(ctx, PAGES, tenancy, ref);
  const { id: pageId, workspaceId } = row;
  const ids = [...new Set(visits.flatMap(({ visit: { contactId } }) => contactId ?? []))];
  const found = await findByIds(ctx, CONTACTS, tenancy, ids, ['id', 'workspaceId']);
  const own = new Set(found.flatMap((one) => (one?.workspaceId === workspaceId ? [one.id] : [])));
  const refuse = (isRefused: (contactId: bigint) => boolean) => {
    const refused = visits.filter(({ visit: { contactId } }) => contactId != null && isRefused(contactId));
    if (refused.length > 0) throw invalidFields(refused.slice(0, MAX_ERRORS).map(unknownContact(input)));
  };
  refuse((contactId) => !own.has(contactId));
  const unique = new Map(visits.map(({ visit }) => [visit.uuid, visit]));
  let erased: readonly bigint[] = [];
  try {
    erased = await recordVisits(ctx, tenancy, { workspaceId, pageId }, [...unique.values()]);
  } catch (error) {
    const { constraint = '' } = violationOf(error) ?? {};
    // A contact, or the page, was deleted meanwhile.
    if (constraint.startsWith('contact_visits')) return record(ctx, ref, input, options);
    if (constraint.startsWith('page_')) throw notFound(page.title);
    throw error;
  }
  refuse((contactId) => erased.includes(contactId));
  await chargeCreatedRows(ctx, visits.length);
  return row;
}

/** A visit, and the client's name for it with a full stop at the end. */
interface Named {
  readonly name: string;
  readonly visit: NewVisit;
}

function parse(ctx: Context, input: Input): Named[] {
  const now = ctx.clock();
  const given = parseFields(VISITS_INPUT, input, 'change', false, (some) => {
    const { visit, visits } = some as Partial<GivenVisits>;
    if ('visit' in some === ('visits' in some && visits?.length !== 0))
      throw invalid('visits', {
        code: 'required',
        message: 'Give either visit or visits, with at least one visit.',
      });
    const errors = (visit === undefined ? (visits ?? []) : [visit]).flatMap((one, index) =>
      faultsOf(one, visit === undefined ? `visits[${index}].` : 'visit.', now, input),
    );
    if (errors.length > 0) throw invalidFields(errors.slice(0, MAX_ERRORS));
  }) as GivenVisits;
  const { visit, visits = [] } = given;
  return (visit === undefined ? visits : [visit]).map((one, index) => {
    const startedAt = one.startedAt ?? now;
    return {
      name: visit === undefined ? `visits[${index}].` : 'visit.',
      visit: { ...one, uuid: one.uuid.toLowerCase(), visitorId: visitorOf(one), startedAt },
    };
  });
}

interface GivenVisits {
  readonly visit?: ParsedVisit;
  readonly visits?: readonly ParsedVisit[];
}

/** An empty text does not identify a visitor. */
const visitorOf = ({ visitorId }: Partial<ParsedVisit>) => visitorId || null;

/** What is wrong with the members of a visit together. @param name the client's name for it with a full stop at the end */
function faultsOf(
  one: Partial<ParsedVisit> | undefined,
  name: string,
  now: Date,
  { nameOf }: Input,
): FieldError[] {
  if (one === undefined) return [];
  const errors: FieldError[] = [];
  const blame = (property: 'contactId' | 'startedAt', fault: Fault) =>
    errors.push({ ...fault, field: name + nameOf(property, VISIT_INPUT[property]) });
  const isKnown = 'visitorId' in one && one.visitorId === undefined;
  if (!isKnown && (one.contactId == null) === (visitorOf(one) === null))
    blame('contactId', {
      code: 'required',
      message: `is required, or else ${nameOf('visitorId', VISIT_INPUT.visitorId)}`,
    });
  const ageMs = now.getTime() - (one.startedAt ?? now).getTime();
  if (ageMs > MAX_AGE_MS || ageMs < -HOUR_MS)
    blame('startedAt', outOfRange('within the last 30 days, and at most an hour ahead'));
  return errors;
}

function unknownContact({ nameOf }: Input) {
  return ({ name }: Named): FieldError => {
    return {
      code: 'not_found',
      field: name + nameOf('contactId', VISIT_INPUT.contactId),
      message: 'there is no such contact in the workspace of the page',
    };
  };
}
