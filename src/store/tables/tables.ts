// The table of every noun with lists, made from the noun's description and from its own file in this folder, if it has one.

import type { Field } from '../../resources/description/fields.ts';
import { toSnakeCase } from '../../resources/description/names.ts';
import type { OtherList, Row } from '../../resources/description/resource.ts';
import { type Described, NOUNS, type NounTable } from '../../resources/nouns.ts';
import { type Column, columnsWithRows, type DescribedColumn, sqlOf } from '../../rows/columns.ts';
import type { PairMatch } from '../sql/matches.ts';
import { childrenAsJson, childrenAsRecords, otherAsRecord } from '../sql/row-json.ts';
import { appliedTagTable } from './applied-tags.ts';
import { appointmentTable } from './appointments.ts';
import { auditEntryTable } from './audit-entries.ts';
import { blogPostTable, blogTable } from './blogs.ts';
import { contactTable } from './contacts.ts';
import { courseEnrollmentTable, courseSectionTable, courseTable } from './courses.ts';
import { domainTable } from './custom-domains.ts';
import { emailBroadcastRecipientTable, emailBroadcastTable, emailSettingsTable } from './emails.ts';
import { formSubmissionAnswerTable } from './form-submissions.ts';
import { fulfillmentTable } from './fulfillments.ts';
import { splitTable } from './funnel-steps.ts';
import { funnelTable } from './funnels.ts';
import { imageTable } from './images.ts';
import { oauthGrantTable } from './oauth-grants.ts';
import { orderAppliedTagTable } from './orders/order-applied-tags.ts';
import { invoiceLineItemTable, invoiceTable } from './orders/order-invoices.ts';
import { restockTable } from './orders/order-restocks.ts';
import { transactionTable } from './orders/order-transactions.ts';
import { orderLineItemTable, orderTable } from './orders/orders.ts';
import { pageTable } from './pages.ts';
import { collectionTable } from './product-collections.ts';
import { priceTable } from './product-prices.ts';
import { variantTable } from './product-variants.ts';
import { productTable } from './products.ts';
import { opportunityTable, pipelineStageTable, pipelineTable } from './sales.ts';
import { shippingLocationGroupTable } from './shipping-location-groups.ts';
import { shippingPackageTable } from './shipping-packages.ts';
import { makeTable, type OwnTable, parentLink, type Table } from './table.ts';
import { teamOauthClientTable } from './team-oauth-clients.ts';
import { teamTable } from './teams.ts';
import { styleTable, themeTable } from './themes.ts';
import { webhookDeliveryTable } from './webhook-deliveries.ts';
import { webhookEventTable } from './webhook-events.ts';
import { workspaceTable } from './workspaces.ts';

/** The tables with their own file. */
const OWN_TABLES = new Map<object, OwnTable>(
  [
    teamTable,
    workspaceTable,
    contactTable,
    appliedTagTable,
    domainTable,
    funnelTable,
    splitTable,
    themeTable,
    styleTable,
    pageTable,
    webhookEventTable,
    webhookDeliveryTable,
    auditEntryTable,
    oauthGrantTable,
    teamOauthClientTable,
    imageTable,
    orderTable,
    orderAppliedTagTable,
    invoiceTable,
    invoiceLineItemTable,
    orderLineItemTable,
    transactionTable,
    restockTable,
    shippingPackageTable,
    shippingLocationGroupTable,
    productTable,
    variantTable,
    priceTable,
    collectionTable,
    courseTable,
    courseSectionTable,
    courseEnrollmentTable,
    formSubmissionAnswerTable,
    pipelineTable,
    pipelineStageTable,
    opportunityTable,
    appointmentTable,
    emailSettingsTable,
    emailBroadcastTable,
    emailBroadcastRecipientTable,
    fulfillmentTable,
    blogTable,
    blogPostTable,
  ].map((own) => [own.noun, own]),
);

/** By table name. */
const tables = new Map<string, Table<{ id: bigint }>>(
  NOUNS.filter((noun) => noun.parent !== undefined || OWN_TABLES.has(noun)).map((noun) => [
    noun.table,
    withRows(makeTable(noun, OWN_TABLES.get(noun))),
  ]),
);

type AnyTable = Table<{ id: bigint }>;

/** Adds to a table the SQL of the rows that can be read with its own: its children, and the rows to which it refers. */
function withRows(table: AnyTable): AnyTable {
  const { name, resource, columns } = table;
  const others = Object.entries<Field>(resource.fields).flatMap(([property, field]): [string, Column][] => {
    const { type, children, refers } = field;
    const noun = NOUNS.find(({ type }) => type === (children ?? refers)?.type);
    if (noun === undefined || columns[property] === undefined) return [];
    const other = makeTable(noun, OWN_TABLES.get(noun));
    if (children !== undefined) {
      const child = withRows(other);
      const narrow = rowsColumn(child, childrenAsRecords, true);
      return [[property, { type, items: noun.fields, sql: childrenAsJson(child), narrow }]];
    }
    // If both rows are in one workspace, they have the same owner.
    const isOfOne = [table, other].every(({ owners }) => owners['workspaceId'] === 'workspace');
    const isOwnColumn = type === 'int8' && sqlOf(columns, property) === undefined;
    if (!isOfOne || !isOwnColumn || noun.table === name) return [];
    const row = rowsColumn(other, (of) => otherAsRecord(of, toSnakeCase(property)), false);
    const joined = (properties: readonly string[]) =>
      areSmallColumns(other, properties) ? row(properties) : null;
    return [[property, { type, joined }]];
  });
  return { ...table, columns: { ...columns, ...Object.fromEntries(others) } };
}

/** Longer texts, lists and JSON are read in a separate statement, so that each is read only once if many rows refer to its row. */
const MAX_JOINED_CHARS = 2_000;

/** Whether properties come from the row itself and are short. Properties from other tables and children are not. */
function areSmallColumns({ resource, columns }: AnyTable, properties: readonly string[]): boolean {
  const fields: Readonly<Record<string, Field>> = resource.fields;
  return properties.every((property) => {
    const { type, children, maxLength = 0 } = fields[property] ?? {};
    if (children !== undefined || /\bselect\b/.test(sqlOf(columns, property) ?? '')) return false;
    return !/json|\[\]/.test(type ?? '') && maxLength <= MAX_JOINED_CHARS;
  });
}

/** A column with the id and some properties of another table's rows. */
function rowsColumn(other: AnyTable, select: (other: AnyTable) => string, isList: boolean) {
  return (properties: readonly string[]): DescribedColumn => {
    const own = Object.entries(other.columns).filter(
      ([property]) => property === 'id' || properties.includes(property),
    );
    const columns = { ...Object.fromEntries(own), ...columnsWithRows(other.columns, properties) };
    const absent = Object.keys(other.columns).filter((property) => !(property in columns));
    return { type: 'text', sql: select({ ...other, columns }), rows: { columns, absent, isList } };
  };
}

/** The table of a noun, looked up by the noun or by its own table file. */
export function tableOf<R extends Described>(of: R | OwnTable<R>): Table<Row<R> & { id: bigint }> {
  const noun = 'noun' in of ? of.noun : of;
  const table = tables.get(noun.table);
  if (table === undefined) throw new TypeError(`A ${noun.title} is in no list.`);
  return table as Table<Row<R> & { id: bigint }>;
}

/** The table of a noun for its lists below another noun than its parent. */
export function tableUnder<R extends Described>(noun: R, list: OtherList): Table<Row<R> & { id: bigint }> {
  const table = tableOf(noun);
  const { under, key } = list;
  const parent = parentLink({
    table: under.table as NounTable,
    // Paired rows are looked for in the parent's workspace.
    column: key === undefined ? 'workspace_id' : toSnakeCase(key),
    title: under.title,
  });
  const listName = `${table.name}_of_${under.table}`;
  const paired = key === undefined ? { paired: pairsOf(table, list) } : {};
  return { ...table, parent, ...paired, commitsInOrder: false, listName };
}

/** What pairs the rows of a list with the objects that have it. */
function pairsOf(
  { matches, pairs, title }: Pick<Table<{ id: bigint }>, 'matches' | 'pairs' | 'title'>,
  list: OtherList,
): PairMatch {
  const { under, by, ids } = list;
  if (ids !== undefined) {
    const { columns = {} } = tableNamed(under.table as NounTable) ?? {};
    const sql = sqlOf(columns, ids) ?? `t.${toSnakeCase(ids)}`;
    const table = `(select t.workspace_id, t.id as of_id, e.id as row_id from ${under.table} t cross join lateral (select distinct u.id from unnest(${sql}) u (id)) e)`;
    return { table, row: 'row_id', value: 'of_id', isUnordered: true, mayBeGone: true };
  }
  const match = pairs[by ?? ''] ?? matches[by ?? ''];
  if (match === undefined || !('table' in match)) throw new TypeError(`No rows pair a ${title} by ${by}.`);
  return match;
}

/** The table of this name; undefined if it has no lists. */
export function tableNamed(name: NounTable): Table<{ id: bigint }> | undefined {
  return tables.get(name);
}
