// The attributes that saved filters can compare, for each class of filters. Services check criteria with it, the store makes SQL from it, and
// docs/funnels.md lists it. A class belongs to the noun whose `refinedBy` it is.
import { contact } from './contacts.ts';
import type { NounNames } from './description/fields.ts';
import type { Sort } from './description/sorts.ts';
import { BILLING_STATUSES, ORDER_TYPES, SERVICE_STATUSES } from './orders/order-statuses.ts';
import { orderTag } from './orders/order-tags.ts';
import { productTag } from './product-tags.ts';
import { product } from './products.ts';
import { tag } from './tags.ts';

/** How an attribute can be compared. Negative clauses match all objects that the positive ones do not, including those without a value. */
export type Clause =
  | 'eq'
  | 'dne'
  | 'in'
  | 'nin'
  | 'sw'
  | 'st'
  | 'nst'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'btwn'
  | 'nbtwn'
  | 'exct';

/**
 * The kind of an attribute's values: text that is compared ignoring case, a word that is compared exactly, a time, an amount of money, a
 * boolean, or ids.
 */
export type AttributeKind = 'text' | 'word' | 'date' | 'amount' | 'flag' | 'ids';

export interface RefineAttribute {
  readonly kind: AttributeKind;
  readonly clauses: readonly Clause[];
  /** The field or filter of the noun with its values. Absent: no object has a value. */
  readonly property?: string;
  /** The noun to which its ids belong; others are refused. */
  readonly idsOf?: NounNames;
  /** All allowed words; others are refused. */
  readonly values?: readonly string[];
  /** The index that finds the objects which a positive clause matches. */
  readonly index?: string;
  /** Whether that index includes the time of an object's last change. */
  readonly indexHasTimes?: true;
  /** The indexes with those objects in the order of lists: one for each value, and one for all objects with a value. */
  readonly inOrder?: {
    readonly equal?: InOrder;
    readonly set?: InOrder;
  } & { readonly [Other in 'prefix' | 'limits']?: never };
}

type InOrder = Readonly<Partial<Record<Sort, string>>>;

const PREFIX = ['eq', 'sw'] as const;
const DATE = ['eq', 'dne', 'gt', 'gte', 'lt', 'lte', 'btwn', 'nbtwn', 'exct', 'st', 'nst'] as const;
const FLAG = ['eq', 'dne'] as const;
const ONE_OF = ['eq', 'in'] as const;
const SOME_OF = ['eq', 'dne', 'in', 'nin'] as const;
const AMOUNT = ['eq', 'dne', 'gt', 'gte', 'lt', 'lte', 'btwn', 'nbtwn'] as const;

/** An attribute of the public API that no object has here: the gateway has no such data. */
const unknown = (kind: AttributeKind, clauses: readonly Clause[]): RefineAttribute => ({ kind, clauses });

/** The indexes by value: one ordered by id, and perhaps one by last change. */
const byValue = (index: string, byTime?: string) => ({
  index,
  inOrder: { equal: { id: index, ...(byTime !== undefined && { updatedAt: byTime }) } },
});

export type RefineAttributes = Readonly<Record<string, RefineAttribute>>;

/** By class: the attributes by their names in criteria. */
export const REFINE_ATTRIBUTES: Readonly<Record<string, RefineAttributes>> = {
  ContactsFilter: {
    email_address: {
      kind: 'text',
      clauses: PREFIX,
      property: 'emailAddress',
      index: 'contacts_workspace_id_email_address_order_idx',
    },
    first_name: { kind: 'text', clauses: PREFIX, property: 'firstName' },
    last_name: { kind: 'text', clauses: PREFIX, property: 'lastName' },
    anonymous: {
      kind: 'flag',
      clauses: FLAG,
      property: 'anonymous',
      ...byValue(
        'contacts_workspace_id_anonymous_id_idx',
        'contacts_workspace_id_anonymous_updated_at_id_idx',
      ),
    },
    created_at: {
      kind: 'date',
      clauses: DATE,
      property: 'createdAt',
      index: 'contacts_workspace_id_created_at_id_updated_at_idx',
      indexHasTimes: true,
    },
    unsubscribed_at: {
      kind: 'date',
      clauses: DATE,
      property: 'unsubscribedAt',
      index: 'contacts_workspace_id_unsubscribed_at_id_idx',
      inOrder: {
        set: { id: 'contacts_unsubscribed_id_idx', updatedAt: 'contacts_unsubscribed_updated_at_id_idx' },
      },
    },
    last_activity: {
      kind: 'date',
      clauses: DATE,
      // The last visit.
      property: 'visits',
      index: 'contact_visits_workspace_id_last_at_contact_id_idx',
    },
    'tags.id': {
      kind: 'ids',
      clauses: SOME_OF,
      property: 'tagIds',
      idsOf: tag,
      ...byValue('contact_tags_workspace_id_tag_id_contact_id_idx'),
    },
    email_suppression: {
      kind: 'word',
      clauses: ['st', 'nst', 'eq', 'in'],
      property: 'emailSuppressionReason',
      index: 'contacts_workspace_id_email_suppression_reason_id_idx',
      inOrder: {
        equal: {
          id: 'contacts_workspace_id_email_suppression_reason_id_idx',
          updatedAt: 'contacts_email_suppression_reason_updated_at_id_idx',
        },
        set: { id: 'contacts_suppressed_id_idx', updatedAt: 'contacts_suppressed_updated_at_id_idx' },
      },
    },
    received_broadcast: unknown('ids', ONE_OF),
    opened_broadcast: unknown('ids', ONE_OF),
    clicked_broadcast: unknown('ids', ONE_OF),
    opted_in_funnel_step: unknown('ids', ONE_OF),
    opted_in_funnel_at: unknown('ids', ONE_OF),
    opted_in_on_standalone_page: unknown('ids', ONE_OF),
    has_affiliate_attribution: unknown('flag', FLAG),
    has_active_affiliate_attribution: unknown('flag', FLAG),
    referred_by_affiliate: unknown('ids', [...SOME_OF, 'st', 'nst']),
  },
  OrdersFilter: {
    created_at: {
      kind: 'date',
      clauses: DATE,
      property: 'createdAt',
      index: 'orders_workspace_id_created_at_id_idx',
    },
    billing_status: {
      kind: 'word',
      clauses: SOME_OF,
      property: 'billingStatus',
      values: BILLING_STATUSES,
      ...byValue('orders_workspace_id_billing_status_id_idx'),
    },
    service_status: {
      kind: 'word',
      clauses: SOME_OF,
      property: 'serviceStatus',
      values: SERVICE_STATUSES,
      ...byValue('orders_workspace_id_service_status_id_idx'),
    },
    order_type: {
      kind: 'word',
      clauses: SOME_OF,
      property: 'orderType',
      values: ORDER_TYPES,
      ...byValue('orders_workspace_id_order_type_id_idx', 'orders_workspace_id_order_type_updated_at_id_idx'),
    },
    currency: {
      kind: 'word',
      clauses: SOME_OF,
      property: 'currency',
      ...byValue('orders_workspace_id_currency_id_idx'),
    },
    total_amount: {
      kind: 'amount',
      clauses: AMOUNT,
      property: 'totalAmount',
      index: 'orders_workspace_id_total_amount_id_idx',
    },
    contact_id: {
      kind: 'ids',
      clauses: SOME_OF,
      property: 'contactId',
      idsOf: contact,
      ...byValue('orders_workspace_id_contact_id_id_idx', 'orders_workspace_id_contact_id_updated_at_id_idx'),
    },
    'tags.id': {
      kind: 'ids',
      clauses: SOME_OF,
      property: 'tagIds',
      idsOf: orderTag,
      ...byValue('order_applied_tags_workspace_id_tag_id_order_id_idx'),
    },
    'products.id': {
      kind: 'ids',
      clauses: SOME_OF,
      property: 'lineItems',
      idsOf: product,
      index: 'order_line_items_workspace_id_product_id_order_id_idx',
    },
  },
  ProductsFilter: {
    name: {
      kind: 'text',
      clauses: PREFIX,
      property: 'name',
      index: 'products_workspace_id_name_order_idx',
    },
    archived: {
      kind: 'flag',
      clauses: FLAG,
      property: 'archived',
      ...byValue('products_workspace_id_archived_id_idx', 'products_workspace_id_archived_updated_at_id_idx'),
    },
    visible_in_store: {
      kind: 'flag',
      clauses: FLAG,
      property: 'visibleInStore',
      ...byValue(
        'products_workspace_id_visible_in_store_id_idx',
        'products_workspace_id_visible_in_store_updated_at_id_idx',
      ),
    },
    created_at: {
      kind: 'date',
      clauses: DATE,
      property: 'createdAt',
      index: 'products_workspace_id_created_at_id_idx',
    },
    'tags.id': {
      kind: 'ids',
      clauses: SOME_OF,
      property: 'tagIds',
      idsOf: productTag,
      ...byValue('tagged_products_tag_id_product_id_idx'),
    },
  },
};

/** The attributes of a class of filters; undefined for a class without a list. */
export function attributesOf(filterClass: string): RefineAttributes | undefined {
  return Object.hasOwn(REFINE_ATTRIBUTES, filterClass) ? REFINE_ATTRIBUTES[filterClass] : undefined;
}
