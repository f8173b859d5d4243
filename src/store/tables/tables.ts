// The table of every noun with lists, made from the noun's description and from its own file in this folder, if it has one.

import { type Described, NOUNS, type NounTable } from '../../resources/nouns.ts';
import { type Field, type OtherList, type Row, toSnakeCase } from '../../resources/resource.ts';
import { type Column, columnsWithRows, type DescribedColumn, sqlOf } from '../../rows/columns.ts';
import { childrenAsJson, childrenAsRecords, otherAsRecord } from '../sql/row-json.ts';
import { appliedTagTable } from './applied-tags.ts';
import { auditEntryTable } from './audit-entries.ts';
import { contactTable } from './contacts.ts';
import { domainTable } from './custom-domains.ts';
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
import { shippingLocationGroupTable } from './shipping-location-groups.ts';
import { shippingPackageTable } from './shipping-packages.ts';
import { makeTable, type OwnTable, parentLink, type Table } from './table.ts';
import { teamTable } from './teams.ts';
import { styleTable, themeTable } from './themes.ts';
import { webhookDeliveryTable } from './webhook-deliveries.ts';
import { webhookEventTable } from './webhook-events.ts';
import { workspaceTable } from './workspaces.ts';

/** Those that have a file of their own. */
const OWN = new Map<object, OwnTable>(
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
  ].map((own) => [own.noun, own]),
);

/** By table name. */
const tables = new Map<string, Table<{ id: bigint }>>(
  NOUNS.filter((noun) => noun.parent !== undefined || OWN.has(noun)).map((noun) => [
    noun.table,
    withRows(makeTable(noun, OWN.get(noun))),
  ]),
);

type AnyTable = Table<{ id: bigint }>;

/** A table, with the SQL of the other rows that can be read with its own: its children, and those that it refers to. */
function withRows(table: AnyTable): AnyTable {
  const { name, resource, columns } = table;
  const others = Object.entries<Field>(resource.fields).flatMap(([property, field]): [string, Column][] => {
    const { type, children, refers } = field;
    const noun = NOUNS.find(({ type }) => type === (children ?? refers)?.type);
    if (noun === undefined || columns[property] === undefined) return [];
    const other = makeTable(noun, OWN.get(noun));
    if (children !== undefined) {
      const child = withRows(other);
      const narrow = rowsIn(child, childrenAsRecords, true);
      return [[property, { type, items: noun.fields, sql: childrenAsJson(child), narrow }]];
    }
    // Rows of one workspace: what refers to them is the owner's who owns them.
    const isOfOne = [table, other].every(({ owners }) => owners['workspaceId'] === 'workspace');
    const isOwnColumn = type === 'int8' && sqlOf(columns, property) === undefined;
    if (!isOfOne || !isOwnColumn || noun.table === name) return [];
    const row = rowsIn(other, (of) => otherAsRecord(of, toSnakeCase(property)), false);
    const joined = (properties: readonly string[]) => (areSmall(other, properties) ? row(properties) : null);
    return [[property, { type, joined }]];
  });
  return { ...table, columns: { ...columns, ...Object.fromEntries(others) } };
}

/** Longer texts are read in a separate statement, and so are lists and JSON: once, however many rows refer to their row. */
const MAX_JOINED_CHARS = 2_000;

/** Whether properties follow from the row itself, and are short. What is read from other tables, or has rows of its own, is not. */
function areSmall({ resource, columns }: AnyTable, properties: readonly string[]): boolean {
  const fields: Readonly<Record<string, Field>> = resource.fields;
  return properties.every((property) => {
    const { type, children, maxLength = 0 } = fields[property] ?? {};
    if (children !== undefined || /\bselect\b/.test(sqlOf(columns, property) ?? '')) return false;
    return !/json|\[\]/.test(type ?? '') && maxLength <= MAX_JOINED_CHARS;
  });
}

/** The column with rows of another table, of which the id and some properties are needed. */
function rowsIn(other: AnyTable, select: (other: AnyTable) => string, isList: boolean) {
  return (properties: readonly string[]): DescribedColumn => {
    const own = Object.entries(other.columns).filter(
      ([property]) => property === 'id' || properties.includes(property),
    );
    const columns = { ...Object.fromEntries(own), ...columnsWithRows(other.columns, properties) };
    const absent = Object.keys(other.columns).filter((property) => !(property in columns));
    return { type: 'text', sql: select({ ...other, columns }), rows: { columns, absent, isList } };
  };
}

/** The table of a noun, which is named by its own file for its table if it has one. */
export function tableOf<R extends Described>(of: R | OwnTable<R>): Table<Row<R> & { id: bigint }> {
  const noun = 'noun' in of ? of.noun : of;
  const table = tables.get(noun.table);
  if (table === undefined) throw new TypeError(`A ${noun.title} is in no list.`);
  return table as Table<Row<R> & { id: bigint }>;
}

/** The table of a noun whose lists are those below another noun than its parent. */
export function tableUnder<R extends Described>(
  noun: R,
  { under, key }: OtherList,
): Table<Row<R> & { id: bigint }> {
  const table = tableOf(noun);
  const parent = parentLink({
    table: under.table as NounTable,
    column: toSnakeCase(key),
    title: under.title,
  });
  return { ...table, parent, commitsInOrder: false, listName: `${table.name}_of_${under.table}` };
}

/** The table of this name, where it has lists. */
export function tableNamed(name: NounTable): Table<{ id: bigint }> | undefined {
  return tables.get(name);
}
