// The table of every noun with lists, made from the noun's description and from its own file in this folder, if it has one.

import type { FieldType } from '../../resources/field-types.ts';
import { type ByNoun, type Described, NOUNS, type NounTable } from '../../resources/nouns.ts';
import {
  childLists,
  type OtherList,
  type Resource,
  type Row,
  toSnakeCase,
} from '../../resources/resource.ts';
import type { DescribedColumn } from '../../rows/columns.ts';
import { childrenAsJson } from '../sql/row-json.ts';
import { appliedTagTable } from './applied-tags.ts';
import { auditEntryTable } from './audit-entries.ts';
import { contactTable } from './contacts.ts';
import { domainTable } from './custom-domains.ts';
import { splitTable } from './funnel-steps.ts';
import { funnelTable } from './funnels.ts';
import { imageTable } from './images.ts';
import { oauthGrantTable } from './oauth-grants.ts';
import { orderAppliedTagTable } from './order-applied-tags.ts';
import { invoiceLineItemTable, invoiceTable } from './order-invoices.ts';
import { restockTable } from './order-restocks.ts';
import { transactionTable } from './order-transactions.ts';
import { orderTable } from './orders.ts';
import { pageTable } from './pages.ts';
import { collectionTable } from './product-collections.ts';
import { variantTable } from './product-variants.ts';
import { productTable } from './products.ts';
import { shippingLocationGroupTable } from './shipping-location-groups.ts';
import { shippingPackageTable } from './shipping-packages.ts';
import { makeTable, type Special, type Table } from './table.ts';
import { teamTable } from './teams.ts';
import { styleTable, themeTable } from './themes.ts';
import { webhookDeliveryTable } from './webhook-deliveries.ts';
import { webhookEventTable } from './webhook-events.ts';
import { workspaceTable } from './workspaces.ts';

/** By the type of the noun. */
const SPECIAL: ByNoun<Special> = {
  Team: teamTable,
  Workspace: workspaceTable,
  Contact: contactTable,
  ContactAppliedTag: appliedTagTable,
  Domain: domainTable,
  Funnel: funnelTable,
  ConditionalSplitStep: splitTable,
  Theme: themeTable,
  Style: styleTable,
  Page: pageTable,
  WebhookEvent: webhookEventTable,
  WebhookDelivery: webhookDeliveryTable,
  AuditEntry: auditEntryTable,
  OauthGrant: oauthGrantTable,
  Image: imageTable,
  Order: orderTable,
  OrderAppliedTag: orderAppliedTagTable,
  Invoice: invoiceTable,
  InvoiceLineItem: invoiceLineItemTable,
  Transaction: transactionTable,
  Restock: restockTable,
  ShippingPackage: shippingPackageTable,
  ShippingLocationGroup: shippingLocationGroupTable,
  Product: productTable,
  Variant: variantTable,
  Collection: collectionTable,
};

/** By table name. */
const tables = new Map<string, Table<{ id: bigint }>>(
  NOUNS.filter(({ type, parent }) => parent !== undefined || type in SPECIAL).map((noun) => [
    noun.table,
    withChildren(noun, makeTable(noun, SPECIAL[noun.type])),
  ]),
);

/** A table, with the SQL of its lists of children. */
function withChildren(noun: Resource, table: Table<{ id: bigint }>): Table<{ id: bigint }> {
  const lists = childLists(noun).flatMap(([property, { type, children }]) => {
    const child = NOUNS.find(({ type }) => type === children?.type);
    return child === undefined
      ? []
      : [[property, childrenColumn(type, makeTable(child, SPECIAL[child.type]))]];
  });
  return { ...table, columns: { ...table.columns, ...Object.fromEntries(lists) } };
}

/** What children are known and ordered by is always read. */
const KEPT = ['id', 'position'];

/** The column with the children of a row, as JSON. */
function childrenColumn(type: FieldType, child: Table<{ id: bigint }>): DescribedColumn {
  const { fields } = child.resource;
  return {
    ...{ type, items: fields, sql: childrenAsJson(child) },
    narrow(properties) {
      const kept = Object.entries(fields).filter(
        ([property]) => KEPT.includes(property) || properties.includes(property),
      );
      const resource = { ...child.resource, fields: Object.fromEntries(kept) };
      return childrenColumn(type, { ...child, resource });
    },
  };
}

/** The table of a noun. */
export function tableOf<R extends Described>(noun: R): Table<Row<R> & { id: bigint }> {
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
  const parent = { table: under.table as NounTable, column: toSnakeCase(key), title: under.title };
  return { ...table, parent, listName: `${table.name}_of_${under.table}` };
}

/** The table of this name, where it has lists. */
export function tableNamed(name: NounTable): Table<{ id: bigint }> | undefined {
  return tables.get(name);
}
