// The page, which stands alone or in a step of a funnel.
import { IDS, NAME, OF_WORKSPACE } from './description/common-fields.ts';
import type { Fields, RowOf } from './description/fields.ts';
import { describe, type Row } from './description/resource.ts';
import { funnel } from './funnels.ts';
import { CODE_FIELDS, CODE_MODES } from './page-code.ts';
import { product } from './products.ts';
import { theme } from './themes.ts';
import { workspace } from './workspaces.ts';

const PLAIN_NAME = { type: 'text', description: NAME.description } as const;
const TEXT = { type: 'text', nullable: true, writable: 'always' } as const;
const CURRENT_PATH = {
  type: 'text',
  description: 'The path of the page.',
  rule: 'By default it is made from the name; for a page in a funnel it starts with the funnel’s path.',
} as const;

/** The longest URL of a page on another server. */
const MAX_URL = 2_000;

const EXTERNAL_URL = {
  type: 'text',
  nullable: true,
  format: 'uri',
  maxLength: MAX_URL,
  description: 'The http or https URL of the page if another server hosts it, or null.',
} as const;

const STEP = { type: 'PageStep', title: 'Page step', table: 'funnel_steps' } as const;
const STEP_ID = {
  type: 'int8',
  restAsText: true,
  idsOf: STEP,
  nullable: true,
  optional: true,
} as const;

/** The most products of a page, and the most bumps. */
const MAX_PRODUCTS = 100;
const PRODUCT_IDS = {
  type: 'int8[]',
  writable: 'always',
  default: [],
  refers: product,
  maxLength: MAX_PRODUCTS,
  description: 'The integer ids of the products that the page offers in its funnel step.',
} as const;

/** A bump: a product that a page offers in addition to its products. */
const BUMP = {
  productId: { type: 'int8', refers: product, description: 'The integer id of the product.' },
  preheadline: {
    type: 'text',
    nullable: true,
    optional: true,
    maxLength: 255,
    description: 'The line above the offer.',
  },
} as const satisfies Fields;
const BUMPS = {
  type: 'jsonb',
  items: BUMP,
  itemType: 'PageBump',
  writable: 'always',
  default: [],
  maxLength: MAX_PRODUCTS,
  description: 'Further products that the page offers (order bumps), each with its own line of text.',
} as const;

/** The only fields of pages that the workflow of a funnel reads. */
export const PAGE_OF_STEP = {
  ...IDS,
  ...OF_WORKSPACE,
  name: PLAIN_NAME,
  currentPath: CURRENT_PATH,
  externalUrl: EXTERNAL_URL,
  createdAt: { type: 'timestamp', description: 'When the page was created.' },
  updatedAt: { type: 'timestamp', description: 'When the page was last changed.' },
} as const satisfies Fields;

export interface PageOfStep extends RowOf<typeof PAGE_OF_STEP> {}

export const page = describe({
  type: 'Page',
  title: 'Page',
  table: 'pages',
  number: 8n,
  parent: workspace,
  plural: 'pages',
  listDescription: 'The pages of the workspace, without discarded ones.',
  parentDescription: 'The workspace that the page belongs to.',
  path: 'pages',
  scope: 'funnels',
  verbs: ['create', 'update', 'remove'],
  wrapper: 'page',
  description:
    'A page that visitors see, in a step of a funnel or standalone. A page that was discarded with a split’s branch can no longer be read.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: NAME,
    type: {
      type: 'text',
      values: ['landing_page', 'site_page', 'funnel_page'],
      valueDescriptions: {
        landing_page: 'A page that is in no funnel.',
        site_page: 'A page of the workspace’s site.',
        funnel_page: 'A page in a step of a funnel.',
      },
      description: 'The type of the page: in a funnel, or a standalone landing page.',
    },
    currentPath: { ...CURRENT_PATH, writable: 'at_creation', maxLength: 255 },
    url: {
      type: 'text',
      nullable: true,
      description:
        'The URL of the page: its external URL, or else its path on the custom domain of its funnel or on the host of the workspace. Null if the service is reached by an IP address, so that workspaces have no hosts.',
    },
    externalUrl: {
      ...EXTERNAL_URL,
      writable: 'always',
      rule: 'The page is then shown at this URL, and its content here is not used.',
    },
    external: { type: 'bool', graphql: false, description: 'Whether another server hosts the page.' },
    description: { ...TEXT, maxLength: 1_000, description: 'The purpose of the page.' },
    themeId: {
      type: 'int8',
      nullable: true,
      writable: 'always',
      refers: theme,
      description: 'The integer id of the theme. Null for the default theme of the workspace.',
    },
    funnel: {
      type: 'json',
      nullable: true,
      object: { id: funnel.fields.id, publicId: funnel.fields.publicId, name: PLAIN_NAME },
      description: 'The funnel that shows the page, or null.',
    },
    showPageStep: {
      type: 'json',
      nullable: true,
      object: {
        ...IDS,
        name: { type: 'text', description: 'The name of the step.' },
        currentPath: CURRENT_PATH,
        products: {
          type: 'json',
          nullable: true,
          needs: 'store',
          items: {
            ...IDS,
            name: PLAIN_NAME,
            bump: { type: 'bool', description: 'Whether the product is an order bump.' },
            bumpPreheadline: { type: 'text', nullable: true, description: BUMP.preheadline.description },
          },
          description:
            'The products that the page offers in its step, order bumps last. Null if the caller may not read the store.',
        },
      },
      description: 'The step that shows the page, or null.',
    },
    productIds: PRODUCT_IDS,
    bumps: BUMPS,
    seoTitle: { ...TEXT, maxLength: 255, description: 'The title for search engines.' },
    seoDescription: {
      ...TEXT,
      maxLength: 1_000,
      description: 'The description for search engines.',
    },
    seoIndex: {
      graphqlName: 'isSeoIndexable',
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether search engines may list the page.',
    },
    blockAiCrawler: {
      graphqlName: 'isAiCrawlerBlocked',
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether to block crawlers that collect data to train AI models.',
    },
    blockAiSearch: {
      graphqlName: 'isAiSearchBlocked',
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether to block AI search engines.',
    },
    blockAiAssistant: {
      graphqlName: 'isAiAssistantBlocked',
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether to block AI assistants that read the page for a person.',
    },
    ...CODE_FIELDS,
    customCss: { ...TEXT, expand: true, maxLength: 100_000, description: 'The styles of the page, as CSS.' },
    markup: { ...TEXT, expand: true, maxLength: 100_000, description: 'The content of the page, as markup.' },
    createdAt: PAGE_OF_STEP.createdAt,
    updatedAt: PAGE_OF_STEP.updatedAt,
  },
  inputs: {
    ...CODE_MODES,
    place: {
      type: 'json',
      graphqlOnly: true,
      itemType: 'PagePlace',
      writable: 'at_creation',
      nullable: true,
      description: 'Where a new step of a funnel shows the page. Without it, the page is standalone.',
    },
    inFunnel: {
      type: 'jsonb',
      restName: 'funnel',
      graphql: false,
      writable: 'at_creation',
      nullable: true,
      object: {
        funnelId: {
          type: 'int8',
          restAsText: true,
          idsOf: { type: 'Funnel', title: 'Funnel', table: 'funnels' },
          nullable: true,
          optional: true,
          description:
            'The integer id of the funnel. Unless a step is given, the new step becomes its entry.',
        },
        afterShowPageStepId: {
          ...STEP_ID,
          description: 'The integer id of the step after which to insert the new step.',
        },
        showPageStepId: {
          ...STEP_ID,
          description:
            'The integer id of the step after which to insert the new step, under the name that some clients use.',
        },
      },
      description: 'The funnel in which a new step shows the page. Without it, the page is standalone.',
    },
    sortOrder: {
      graphql: false,
      type: 'count',
      writable: 'at_creation',
      description:
        'With a funnel, and without a preceding step: the number of top-level steps of the funnel before the new step.',
    },
    /** The funnel of a change. Over GraphQL these are changes of steps: `replaceStepPage`, `moveStep`. */
    ofStep: {
      type: 'jsonb',
      restName: 'funnel',
      graphql: false,
      writable: 'on_change',
      nullable: true,
      object: {
        showPageStepId: {
          ...STEP_ID,
          description: 'The integer id of a step, which shows this page in place of its own from now on.',
        },
      },
      description:
        'The step that shows the page. No other step may show it; the page that the step showed becomes standalone.',
    },
    stepOrder: {
      type: 'count',
      restName: 'sort_order',
      graphql: false,
      writable: 'on_change',
      description: 'For a page in a funnel: the number of steps before its own on the same branch or level.',
    },
    onStep: {
      type: 'jsonb',
      restName: 'show_page_step',
      graphql: false,
      nullable: true,
      object: {
        productIds: { ...PRODUCT_IDS, optional: true },
        bumps: { ...BUMPS, optional: true },
      },
      description: 'The products that the page offers in its step.',
    },
  },
  topic: 'page',
  lists: [
    { under: theme, by: 'theme', plural: 'pages', indexes: {}, description: 'The pages that use the theme.' },
  ],
  search: ['name', 'currentPath'],
  filters: {
    id: { unique: true },
    funnelIds: {
      of: { type: 'int8', idsOf: funnel },
      description: 'The ids of the funnels that show the page.',
      index: 'funnel_steps_page_steps_of_funnel',
    },
    themeId: { index: 'pages_visible_theme_id_id_idx' },
    funnelPages: {
      of: { type: 'bool', graphqlName: 'isInFunnel' },
      description: 'Whether a funnel shows the page.',
      index: 'pages_visible_is_shown_id_idx',
    },
  },
  sorts: ['createdAt', 'updatedAt', 'name'],
});

export interface PageRow extends Row<typeof page> {}
