// The page, which stands alone or in a step of a funnel.
import { funnel } from './funnels.ts';
import { CODE_FIELDS, CODE_MODES } from './page-code.ts';
import { product } from './products.ts';
import { describe, type Fields, IDS, NAME, OF_WORKSPACE, type Row, type RowOf } from './resource.ts';
import { theme } from './themes.ts';
import { workspace } from './workspaces.ts';

const PLAIN_NAME = { type: 'text', description: NAME.description } as const;
const TEXT = { type: 'text', nullable: true, writable: 'always' } as const;
const CURRENT_PATH = {
  type: 'text',
  description:
    'The path of the page. Without it, one is made from the name, of a page in a funnel below that of the funnel.',
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
  description: 'The integer ids of the products that the page offers where a step of a funnel shows it.',
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
  description: 'Products that the page offers beside those, each with a line of its own.',
} as const;

/** The only fields of pages that the workflow of a funnel reads. */
export const PAGE_OF_STEP = {
  ...IDS,
  ...OF_WORKSPACE,
  name: PLAIN_NAME,
  currentPath: CURRENT_PATH,
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
    'A page that visitors see: in a step of a funnel, or by itself. A page that was discarded with a split’s branch can no longer be read.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: NAME,
    type: {
      type: 'text',
      values: ['landing_page', 'site_page', 'funnel_page'],
      description: 'Whether a step of a funnel shows it. One that stands by itself is a landing page.',
    },
    currentPath: { ...CURRENT_PATH, writable: 'at_creation', maxLength: 255 },
    url: {
      type: 'text',
      nullable: true,
      description:
        'Where visitors find the page: on the domain of its funnel, else on the host of the workspace. null where workspaces have no hosts, because the service is reached by an IP address.',
    },
    description: { ...TEXT, maxLength: 1_000, description: 'What the page is for.' },
    themeId: {
      type: 'int8',
      nullable: true,
      writable: 'always',
      refers: theme,
      description: 'The integer id of its theme; null for the default one of the workspace.',
    },
    funnel: {
      type: 'json',
      nullable: true,
      object: { id: funnel.fields.id, publicId: funnel.fields.publicId, name: PLAIN_NAME },
      description: 'The funnel of which a step shows the page, or null.',
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
            bump: { type: 'bool', description: 'Whether it is offered beside the others.' },
            bumpPreheadline: { type: 'text', nullable: true, description: BUMP.preheadline.description },
          },
          description:
            'The products that the page offers there, bumps last; null for those who may not read the store.',
        },
      },
      description: 'The step that shows the page, or null.',
    },
    productIds: PRODUCT_IDS,
    bumps: BUMPS,
    seoTitle: { ...TEXT, maxLength: 255, description: 'The title that search engines are given.' },
    seoDescription: {
      ...TEXT,
      maxLength: 1_000,
      description: 'The description that search engines are given.',
    },
    seoIndex: {
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether search engines may list it.',
    },
    blockAiCrawler: {
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether crawlers that train models are kept out.',
    },
    blockAiSearch: {
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether search engines with a model are kept out.',
    },
    blockAiAssistant: {
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether assistants that read it for a person are kept out.',
    },
    ...CODE_FIELDS,
    markup: { ...TEXT, expand: true, maxLength: 100_000, description: 'The page itself, in markup.' },
    createdAt: PAGE_OF_STEP.createdAt,
    updatedAt: PAGE_OF_STEP.updatedAt,
  },
  inputs: {
    ...CODE_MODES,
    inFunnel: {
      type: 'jsonb',
      restName: 'funnel',
      writable: 'at_creation',
      nullable: true,
      object: {
        funnelId: {
          type: 'int8',
          restAsText: true,
          idsOf: { type: 'Funnel', title: 'Funnel', table: 'funnels' },
          nullable: true,
          optional: true,
          description: 'The integer id of the funnel. Not needed with a step.',
        },
        afterShowPageStepId: {
          ...STEP_ID,
          description:
            'The integer id of the step that the page’s own comes after. Without it, the page is where visitors enter.',
        },
        showPageStepId: {
          ...STEP_ID,
          description: 'The integer id of that step, as some clients call it.',
        },
      },
      description: 'The funnel in which a new step shows the page. Without it, the page stands by itself.',
    },
    sortOrder: {
      type: 'count',
      writable: 'at_creation',
      description:
        'With a funnel, and no step that its own comes after: how many steps of the funnel, branches apart, come before the page’s own.',
    },
    onStep: {
      type: 'jsonb',
      restName: 'show_page_step',
      nullable: true,
      object: { productIds: PRODUCT_IDS, bumps: BUMPS },
      description: 'The products of the page, as its step shows them.',
    },
  },
  topic: 'page',
  filters: {
    id: { unique: true },
    funnelIds: {
      of: { type: 'int8', idsOf: funnel },
      description: 'The ids of the funnels of which a step shows the page.',
      index: 'funnel_steps_page_steps_of_funnel',
    },
    themeId: { index: 'pages_visible_theme_id_id_idx' },
    funnelPages: {
      of: { type: 'bool' },
      description: 'Whether a step of a funnel shows the page.',
      index: 'pages_visible_is_shown_id_idx',
    },
  },
  sorts: ['updatedAt'],
});

export interface PageRow extends Row<typeof page> {}
