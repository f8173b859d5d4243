// The service of every noun: its reads, and the changes that its description allows, all derived from the description. One map lists the
// functions that a noun's own file replaces.
import type { Context } from '../context.ts';
import { type ByNoun, type Described, NOUNS } from '../resources/nouns.ts';
import type { OtherList, Resource, Row, Verb } from '../resources/resource.ts';
import { tableUnder } from '../store/tables/tables.ts';
import * as auditEntries from './accounts/audit-entries.ts';
import * as teams from './accounts/teams.ts';
import * as users from './accounts/users.ts';
import * as workspaces from './accounts/workspaces.ts';
import type { Done } from './changing/mutate.ts';
import { type Writes, writesOf } from './changing/writes.ts';
import * as appliedTags from './contacts/applied-tags.ts';
import * as contacts from './contacts/contacts.ts';
import * as refineFilters from './contacts/refine-filters.ts';
import * as conditionalSplits from './funnels/conditional-splits.ts';
import * as funnels from './funnels/funnels.ts';
import * as pages from './funnels/pages.ts';
import * as sites from './funnels/sites.ts';
import * as themes from './funnels/themes.ts';
import type { Input } from './input/parse-fields.ts';
import type { WriteOptions } from './input/write-options.ts';
import * as orderAppliedTags from './orders/order-applied-tags.ts';
import { abandon } from './orders/order-invoice-abandonment.ts';
import * as orderInvoices from './orders/order-invoices.ts';
import * as orderRestocks from './orders/order-restocks.ts';
import * as orderTransactions from './orders/order-transactions.ts';
import * as orders from './orders/orders.ts';
import * as images from './products/images.ts';
import * as productCollections from './products/product-collections.ts';
import * as productPrices from './products/product-prices.ts';
import * as productVariants from './products/product-variants.ts';
import * as products from './products/products.ts';
import { type Reads, readsOf } from './reading/reads.ts';
import type { Ref } from './reading/refs.ts';
import * as fulfillments from './shipping/fulfillments.ts';
import * as shipping from './shipping/shipping.ts';
import { activate, deactivate } from './webhooks/webhook-activation.ts';
import * as webhookEndpoints from './webhooks/webhook-endpoints.ts';
import * as webhookEvents from './webhooks/webhook-events.ts';

type AnyRow = { readonly id: bigint };

/** The changes that clients may make to objects of a noun. */
export interface NounChanges<R extends AnyRow>
  extends Partial<Pick<Writes<R>, 'writeScope' | 'update' | 'archive' | 'unarchive' | 'remove' | 'reorder'>> {
  create?(...args: Parameters<Writes<R>['create']>): Promise<Done<R, 'created' | 'updated' | 'unchanged'>>;
  /** By the names of the description. They require `writeScope`. @throws AppError `not_found`, and as the noun's own file says */
  readonly actions?: Readonly<
    Record<string, (ctx: Context, ref: Ref, input: Input, options: WriteOptions) => Promise<Done<R>>>
  >;
}

/** A list of the noun besides the one below its parent, and its reads. */
interface ListReads<R extends AnyRow> extends Reads<R> {
  readonly of: OtherList;
}

export interface Service<R extends AnyRow> extends Omit<Reads<R>, 'scope'>, NounChanges<R> {
  /** The scope for reading; null: none. */
  readonly scope: Reads<R>['scope'] | null;
  /** Whether every reader sees its rows as they are stored, so that they can be read together with rows that refer to them. */
  readonly isJoinable: boolean;
  readonly lists: readonly ListReads<R>[];
}

type AnyReads = Reads<AnyRow>;

/**
 * Functions that replace the derived ones, by the type of the noun. `shown` makes the reads of every list of the derived ones; the others
 * have the names of the service, and each action its own.
 */
const SPECIAL: ByNoun<object> = {
  Team: { ...pick(teams, 'update'), listMany: teams.listMany },
  Workspace: pick(workspaces, 'update'),
  User: { scope: null, getMany: users.getMany },
  Contact: pick(contacts, 'create', 'update', 'remove'),
  ContactAppliedTag: pick(appliedTags, 'create', 'remove'),
  Funnel: pick(funnels, 'create', 'update', 'archive'),
  Site: pick(sites, 'update'),
  Theme: { ...pick(themes, 'update'), setDefault: themes.setDefault, shown: themes.shown },
  Page: { ...pick(pages, 'create', 'update', 'remove'), shown: pages.shown },
  ConditionalSplitStep: { getMany: conditionalSplits.getMany },
  RefineFilter: pick(refineFilters, 'create', 'update', 'remove'),
  WebhookEndpoint: { ...pick(webhookEndpoints, 'create', 'update', 'remove'), activate, deactivate },
  WebhookEvent: webhookEvents.reads,
  AuditEntry: auditEntries.reads,
  Image: pick(images, 'create', 'update', 'remove'),
  OrderAppliedTag: pick(orderAppliedTags, 'create', 'remove'),
  Order: { ...pick(orders, 'create', 'update'), cancel: orders.cancel, shown: orders.shown },
  Invoice: { ...pick(orderInvoices, 'create', 'update'), abandon, shown: orderInvoices.shown },
  Transaction: { ...pick(orderTransactions, 'create'), refund: orderTransactions.refund },
  Restock: pick(orderRestocks, 'create'),
  FulfillmentLocation: pick(fulfillments.locations, 'create', 'update', 'remove'),
  Fulfillment: { ...pick(fulfillments, 'create', 'update', 'remove'), cancel: fulfillments.cancel },
  ShippingPackage: pick(shipping.packages, 'create', 'update', 'remove'),
  ShippingProfile: pick(shipping.profiles, 'create', 'update', 'remove'),
  ShippingZone: pick(shipping.zones, 'create', 'update', 'remove'),
  ShippingRateName: pick(shipping.rateNames, 'create', 'update', 'remove'),
  Product: pick(products, 'create', 'update', 'archive'),
  Variant: pick(productVariants, 'create', 'update'),
  Price: pick(productPrices, 'create', 'update'),
  Collection: pick(productCollections, 'create', 'update'),
};

const services = new Map(NOUNS.map((noun) => [noun.type, makeService(noun as Described)]));

/** The service of a noun. */
export function serviceOf<R extends Described>(noun: R): Service<Row<R> & { id: bigint }> {
  return services.get(noun.type) as Service<Row<R> & { id: bigint }>;
}

/**
 * Makes a service. @param own functions that replace the derived ones: single ones, or with `writeScope` all changes
 * @throws TypeError when a change of the description is missing
 */
export function makeService(noun: Described, own: object = SPECIAL[noun.type] ?? {}): object {
  const { type, scope, verbs = [], actions = {}, lists = [] } = noun as Resource & Described;
  const { shown = (reads) => reads, ...rest } = own as { readonly shown?: (reads: AnyReads) => AnyReads };
  const service = {
    ...(scope !== undefined && shown(readsOf(noun) as unknown as AnyReads)),
    isJoinable: scope !== undefined && !('shown' in own) && !('getMany' in own),
    lists: lists.map((of) => ({ ...shown(readsOf(noun, tableUnder(noun, of)) as unknown as AnyReads), of })),
    ...(verbs.length > 0 && !('writeScope' in own) && pick(writesOf(noun), ...verbs)),
    ...rest,
    actions: Object.fromEntries(Object.keys(actions).map((name) => [name, Reflect.get(own, name)])),
  };
  const missing = [
    ...verbs.filter((verb) => !(verb in service)),
    ...Object.keys(actions).filter((name) => !(name in own)),
  ];
  if (missing.length > 0)
    throw new TypeError(`${type} has no ${missing.join(', ')}: its own writes replace all of them.`);
  return service;
}

function pick<W extends { readonly writeScope: unknown } & { readonly [V in Verb]?: unknown }>(
  writes: W,
  ...verbs: readonly (keyof W & Verb)[]
): object {
  const names = verbs.flatMap((verb) => (verb === 'archive' ? ['archive', 'unarchive'] : [verb]));
  return Object.fromEntries(['writeScope', ...names].map((name) => [name, Reflect.get(writes, name)]));
}
