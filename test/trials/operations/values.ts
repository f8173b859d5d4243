// A plausible value for each member of a body of the public API: by its name, else by its type.
import type { Member } from '../../support/facts.ts';

/** What members name by their ids: the collection below `/api/v2`. `*` is the first word of the operation's own path. */
const REFERENCES: readonly (readonly [RegExp, string])[] = [
  [/^(primary_)?contact_id$/, 'contacts'],
  [/^tag_ids?$/, '*/tags'],
  [/^product_ids?$/, 'products'],
  [/^products_price_id$/, 'products/prices'],
  [/^variant_ids?$/, 'products/variants'],
  [/(^|_)image_ids?$/, 'images'],
  [/^domain_id$/, 'domains'],
  [/^theme_id$/, 'themes'],
  [/^current_style_id$/, 'styles'],
  [/location_ids?$/, 'fulfillments/locations'],
  [/^rates_name_id$/, 'shipping/rates/names'],
  [/^(redirect_)?funnel_ids?$/, 'funnels'],
  [/^page_ids?$/, 'pages'],
  [/^enrollment_id$/, 'courses/enrollments'],
  [/lesson_id$/, 'courses/lessons'],
  [/section_id$/, 'courses/sections'],
  [/^field_id$/, 'forms/fields'],
  [/^fields_option_ids?$/, 'forms/fields/options'],
  [/^filter_id$/, 'refine_filters'],
  [/^template_id$/, 'emails/templates'],
  [/^topic_ids$/, 'emails/topics'],
  [/^pipeline_id$/, 'sales/pipelines'],
  [/^pipelines_stage_id$/, 'sales/pipelines/stages'],
  [/^(assignee|created_by|author)_ids?$/, 'users'],
  [/show_page_step_id$/, 'pages/show_page_step'],
  [/^invoices_line_item_id$/, 'orders/invoices/line_items'],
  [/^property_id$/, 'products/variant_properties'],
];

/** The collection whose objects a member names; null if it names none. @param path that of the operation */
export function referenceOf(name: string, path: string): string | null {
  const collection = REFERENCES.find(([pattern]) => pattern.test(name))?.[1];
  return collection?.replace('*', segmentOf(path)) ?? null;
}

/** The first word of an operation's own path. */
function segmentOf(path: string): string {
  return path.replace('/workspaces/{workspace_id}', '').slice(1).split('/')[0] ?? '';
}

let count = 0;
const unique = (text: string) => `${text} ${++count}`;

const BY_NAME: readonly (readonly [RegExp, (member: Member) => unknown])[] = [
  [/email(_address)?$/, () => `operation-${++count}@example.com`],
  [/url$/, () => `https://www.example.com/${++count}.png`],
  [/current_path$/, () => `/operation-${++count}`],
  [/^subdomain$/, () => `operations-${++count}`],
  [/^color$/, () => '#1e90ff'],
  [/phone_number$/, () => '+14155550100'],
  [/country$/, () => 'US'],
  [/^(region_ids|category_ids)$/, () => []],
  [/^country_ids$/, () => ['US']],
  [/^time_zone$/, () => 'Europe/Berlin'],
  [/^(price_)?currency$/, () => 'USD'],
  [/^(trial_)?interval$/, () => 'months'],
  [/^payment_type$/, () => 'subscription'],
  [/^service_status$/, () => 'active'],
  [/^order_type$/, () => 'subscription-order'],
  [/^product_type$/, () => 'physical'],
  [/amount$|^cost$|^price$/, () => '12.50'],
  [/weight_unit$/, () => 'kg'],
  [
    /(weight|duration|interval_count|^value|^quantity|probability)$/,
    ({ type }) => (type === 'int' || type === 'number' ? 1 : '1'),
  ],
  [/^(includes_rest_of_world|send_immediately|archived)$/, () => false],
  [/dimensions_unit$|distance_unit$/, () => 'cm'],
  [/_at$/, () => '2026-01-31T12:00:00.000Z'],
  [/_id$/, () => null],
  [/^event_type_ids$/, () => ['contact.created']],
  [/^field_type$/, () => 'text'],
  [/^collection_type$/, () => 'manual'],
  [/^filter_class$/, () => 'ContactsFilter'],
  [/^attribute$/, () => 'first_name'],
  [/^clause$/, () => 'eq'],
  [/^sort_order$/, () => 0],
  [/^taxable$/, () => 'true'],
  [/_local_time$/, () => '12:00'],
  [/^(name|title|label|key|content|invoice_number|external_id|custom_name|sku)$/, () => unique('Operation')],
];

/** The value of a member that names no object. */
export function sampleFor(member: Member): unknown {
  const { name, type = '', isList } = member;
  const [, closed] = /^enum\(([^)]*)\)$/.exec(type) ?? [];
  const named = BY_NAME.find(([pattern]) => pattern.test(name))?.[1](member);
  const choices = closed?.split('|').filter((value) => value !== '<nil>');
  if (choices !== undefined) return choices.find((value) => value === named) ?? choices[0];
  const [, open] = /^text<([^>]*)>$/.exec(type) ?? [];
  if (named === undefined && open !== undefined) return open.split('|')[0];
  const value = named ?? byType(type);
  return isList && !Array.isArray(value) ? [] : value;
}

function byType(type: string): unknown {
  if (type === 'int' || type === 'number') return 1;
  if (type === 'bool') return true;
  if (type === 'map') return { favourite: 'tea' };
  if (type === 'time') return '2026-01-31T12:00:00.000Z';
  return type.startsWith('text') ? unique('text') : [];
}

/** Whether a member's value is a number. */
export const isNumber = ({ type }: Member): boolean => type === 'int' || type === 'number';

const IS_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Whether a value has the type of a member that has no members. Both sources are loose about null, so null is of each type. */
export function hasType(value: unknown, { type = '', isList }: Member): boolean {
  if (value === null) return true;
  if (isList) return Array.isArray(value);
  const [, closed] = /^enum\(([^)]*)\)$/.exec(type) ?? [];
  if (closed !== undefined) return typeof value === 'string';
  if (type === 'int') return Number.isInteger(value);
  if (type === 'number') return typeof value === 'number';
  if (type === 'bool') return typeof value === 'boolean';
  if (type === 'time') return typeof value === 'string' && IS_TIME.test(value);
  if (type === 'map') return typeof value === 'object' && !Array.isArray(value);
  return !type.startsWith('text') || typeof value === 'string';
}
