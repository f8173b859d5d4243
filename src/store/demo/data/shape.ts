// What a demo team is described with. The words here are the shop owner's: things are named, not numbered.
import type { Prisma } from '#prisma';
import type { Criterion } from '../../../resources/refine-filters.ts';

/** What a row is described with where that is its columns; the others are made up. */
type Columns<Input, Others extends string = never> = Readonly<
  Omit<Input, 'id' | 'publicId' | 'workspaceId' | 'createdAt' | 'updatedAt' | Others>
>;

export type TeamData = Columns<Prisma.TeamCreateManyInput> & {
  readonly workspaces: readonly WorkspaceData[];
};

export interface WorkspaceData {
  readonly name: string;
  readonly subdomain: string;
  readonly customDomains: readonly string[];
  /** How many contacts to make up, and what is known of them. */
  readonly contacts: { readonly count: number; readonly attributes: Record<string, readonly string[]> };
  /** Tags with their colour and the share of contacts that have them. */
  readonly tags: Record<string, { readonly color: string; readonly share: number }>;
  readonly filters: readonly FilterData[];
  readonly funnels: readonly FunnelData[];
  readonly webhookEndpoints: readonly EndpointData[];
  readonly catalog?: CatalogData;
  readonly shipping?: ShippingData;
  readonly visits?: VisitsData;
  readonly images?: readonly ImageData[];
  /** Besides the one that each workspace has. */
  readonly themes?: readonly ThemeData[];
  /** Pages that stand by themselves. */
  readonly pages?: readonly PageData[];
  /** What pages of funnels offer, by their names: products, and bumps with the line above each. */
  readonly offers?: Readonly<
    Record<
      string,
      { readonly products: readonly string[]; readonly bumps?: Readonly<Record<string, string>> }
    >
  >;
  readonly stores?: readonly StoreData[];
  /** Tags of orders, with their colour. */
  readonly orderTags?: Readonly<Record<string, string>>;
  readonly history?: HistoryData;
}

/** It is shown in its first style. */
interface ThemeData {
  readonly name: string;
  readonly customName: string | null;
  readonly styles: readonly string[];
}

type PageData = Columns<Prisma.PageCreateManyInput, 'currentPath' | 'themeId'> & {
  readonly theme: string;
};

/** A saved filter. Criteria on `tags.id` name tags; the ids are put in when they are known. */
export interface FilterData {
  readonly name: string;
  readonly conjunction?: 'and' | 'or';
  readonly criteria: readonly Criterion[];
}

export interface FunnelData {
  readonly name: string;
  readonly path: string;
  readonly live?: boolean;
  readonly archived?: boolean;
  readonly customDomain?: string;
  readonly tags?: readonly string[];
  readonly steps: readonly StepData[];
}

/** A page by its name, a split, or a split test. */
export type StepData = string | SplitData | SplitTestData;

interface SplitData {
  readonly split: string;
  /** The saved filter that decides; null: not set up yet. */
  readonly filter: string | null;
  readonly matched: readonly StepData[];
  readonly unmatched: readonly StepData[];
}

interface SplitTestData {
  readonly test: string;
  /** The percentage of visitors on the left branch. */
  readonly leftWeight: number;
  readonly left: readonly StepData[];
  readonly right: readonly StepData[];
}

/** A picture of a hill, in two colours as `rrggbb`. */
interface ImageData {
  readonly name: string;
  readonly altText: string;
  readonly sky: string;
  readonly ground: string;
}

type StoreData = Columns<Prisma.StoreCreateManyInput> & {
  /** An image by its name. */
  readonly socialImage?: string;
};

/** What a workspace sells, in euros. Tags and products are named. */
export interface CatalogData {
  /** Tags with their colours. */
  readonly tags: Readonly<Record<string, string>>;
  readonly products: readonly ProductData[];
  readonly collections: readonly CollectionData[];
}

export interface ProductData {
  readonly name: string;
  readonly path: string;
  readonly tags: readonly string[];
  /** In what its variants differ. */
  readonly properties: readonly string[];
  /** The first is the default one. */
  readonly variants: readonly VariantData[];
  /** In kilograms. */
  readonly weight?: number;
  /** Of each variant. */
  readonly prices: readonly Columns<
    Prisma.ProductPriceCreateManyInput,
    'productId' | 'variantId' | 'currency'
  >[];
  readonly archived?: boolean;
}

interface VariantData {
  readonly name: string;
  readonly sku: string | null;
  /** In the order of the properties. */
  readonly values: readonly string[];
  /** null: it is not tracked. */
  readonly stock: number | null;
  readonly digital?: boolean;
}

/** With tags it is automatic. */
interface CollectionData {
  readonly name: string;
  readonly products?: readonly string[];
  readonly tags?: readonly string[];
  readonly sortMethod: string;
}

interface EndpointData {
  readonly name: string;
  readonly url: string;
  /** Empty: every type. */
  readonly events: readonly string[];
  /** Limits, by name. */
  readonly funnels?: readonly string[];
  readonly pages?: readonly string[];
}

/** Which pages were visited, by their names, and how often; and on which of them orders were made. */
interface VisitsData {
  readonly pages: Readonly<Record<string, number>>;
  readonly sales: string;
}

/** What was changed lately, with the key of the team. The endpoints were active until then. */
export interface HistoryData {
  /** How many of the youngest contacts were created so. */
  readonly contacts: number;
  /** What the youngest one was given afterwards, by column. */
  readonly given: Readonly<Record<string, string>>;
  /** A tag that got its colour lately, and the one that it had. */
  readonly recolored: { readonly tag: string; readonly from: string };
  /** What receivers answer, and what one of them answers to one type of event. */
  readonly answer: AnswerData;
  readonly refusal: AnswerData & { readonly endpoint: string; readonly eventType: string };
}

export interface AnswerData {
  readonly code: number;
  readonly body: string;
}

/** How a workspace ships. Rates name their names. */
export interface ShippingData {
  readonly locations: readonly LocationData[];
  readonly packages: readonly Columns<Prisma.ShippingPackageCreateManyInput>[];
  readonly rateNames: readonly string[];
  readonly profiles: readonly { readonly name: string; readonly zones: readonly ZoneData[] }[];
}

type LocationData = Columns<Prisma.FulfillmentLocationCreateManyInput> & { readonly archived?: boolean };

type ZoneData = Columns<Prisma.ShippingZoneCreateManyInput, 'locationGroupId'> & {
  readonly rates: readonly RateData[];
};

type RateData = Columns<Prisma.ShippingRateCreateManyInput, 'zoneId' | 'ratesNameId'> & {
  readonly name: string;
};
