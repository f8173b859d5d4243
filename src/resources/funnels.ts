// The funnel (spec §2 "Funnel"). Its workflow is described in funnel-steps.ts.
import { domain } from './custom-domains.ts';
import { ARCHIVED, IDS, NAME, OF_WORKSPACE } from './description/common-fields.ts';
import { describe, type Row } from './description/resource.ts';
import { funnelTag, tagOnFunnel } from './funnel-labels.ts';
import { CODE_FIELDS, CODE_MODES } from './page-code.ts';
import { workspace } from './workspaces.ts';

const MAX_FUNNEL_TAGS = 50;

export const funnel = describe({
  type: 'Funnel',
  title: 'Funnel',
  table: 'funnels',
  number: 7n,
  parent: workspace,
  plural: 'funnels',
  listDescription: 'The funnels of the workspace, including archived ones.',
  parentDescription: 'The workspace that the funnel belongs to.',
  path: 'funnels',
  scope: 'funnels',
  verbs: ['create', 'update', 'archive'],
  gatewayOnly: ['archive', 'unarchive'],
  wrapper: 'funnel',
  description: 'A funnel: a workflow of steps that leads visitors from page to page.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: NAME,
    ...ARCHIVED,
    currentPath: {
      type: 'text',
      writable: 'at_creation',
      maxLength: 255,
      description: 'The path of the funnel on its domain, unique in the workspace.',
      rule: 'By default it is made from the name.',
    },
    url: {
      type: 'text',
      nullable: true,
      description:
        'The URL of the funnel, on its custom domain or else on the host of the workspace. Null if the service is reached by an IP address, so that workspaces have no hosts.',
    },
    liveMode: {
      graphqlName: 'isLive',
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether orders in the funnel are real orders rather than tests.',
    },
    customDomainId: {
      type: 'int8',
      nullable: true,
      restName: 'domain_id',
      writable: 'always',
      refers: domain,
      description: 'The integer id of the custom domain that serves the funnel. Null if none does.',
    },
    faviconImageId: {
      graphql: false,
      type: 'text',
      nullable: true,
      description:
        'The id of the funnel’s favicon image. Always null, because clients cannot choose one yet.',
    },
    createdAt: { type: 'timestamp', description: 'When the funnel was created.' },
    updatedAt: { type: 'timestamp', description: 'When the funnel was last changed.' },
    tagIds: {
      type: 'int8[]',
      writable: 'always',
      default: [],
      refers: funnelTag,
      maxLength: MAX_FUNNEL_TAGS,
      objectDescription: 'The tags of the funnel. Not paginated: a funnel has few.',
      description: 'The integer ids of the tags.',
    },
    tags: {
      type: 'json',
      items: tagOnFunnel,
      description: 'The tags of the funnel. Not paginated: a funnel has few.',
    },
    ...CODE_FIELDS,
  },
  inputs: CODE_MODES,
  topic: 'funnel',
  search: ['name', 'currentPath'],
  lists: [
    {
      under: funnelTag,
      by: 'tagIds',
      plural: 'funnels',
      indexes: {},
      description: 'The funnels with the tag.',
    },
  ],
  filters: {
    id: { unique: true },
    tagIds: { index: 'tagged_funnels_tag_id_funnel_id_idx', graphqlOnly: true },
    archived: { index: 'funnels_workspace_id_archived_id_idx', graphqlOnly: true },
    liveMode: { index: 'funnels_workspace_id_live_mode_id_idx', graphqlOnly: true },
  },
  sorts: ['createdAt', 'updatedAt', 'name'],
});

export interface FunnelRow extends Row<typeof funnel> {}
