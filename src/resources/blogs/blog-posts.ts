// The post of a blog: its text, who wrote it, what groups it, and who may read it.
import { IDS } from '../description/common-fields.ts';
import type { Fields, RowOf } from '../description/fields.ts';
import { describe } from '../description/resource.ts';
import { image } from '../images.ts';
import { user } from '../users.ts';
import { blog, blogCategory, blogTag } from './blogs.ts';

/** The most of each that one post can have. */
const MAX_AUTHORS = 20;
const MAX_GROUPS = 50;

const IDS_OF = {
  type: 'int8[]',
  gatewayOnly: 'output',
  writable: 'always',
  default: [],
  distinct: true,
} as const;
const TEXT = { type: 'text', nullable: true, writable: 'always' } as const;

/** An author as the post shows them: as they were when the post got them. */
const AUTHOR = {
  userId: { type: 'int8', notInParent: true, refers: user, description: 'The integer id of the user.' },
  emailAddress: { type: 'text', description: 'The e-mail address; empty for a service user.' },
  firstName: { type: 'text', description: 'The first name; for a service user, the name of its team.' },
  lastName: { type: 'text', description: 'The last name; empty if there is none.' },
} as const satisfies Fields;

const NAME_OF_GROUP = { name: { type: 'text', description: 'The name.' } } as const satisfies Fields;

export const blogPost = describe({
  type: 'BlogPost',
  title: 'Post',
  table: 'blog_posts',
  number: 143n,
  parent: blog,
  plural: 'posts',
  path: 'posts',
  members: 'blogs/posts',
  wrapper: 'blogs_post',
  scope: 'blogs',
  topic: 'blogs/post',
  subjectType: 'Blogs::Post',
  verbs: ['create', 'update', 'remove'],
  events: ['created', 'updated', 'deleted', 'published'],
  lists: [
    { under: blogTag, by: 'tag', plural: 'posts', indexes: {}, description: 'The posts with the tag.' },
    {
      under: blogCategory,
      by: 'category',
      plural: 'posts',
      indexes: {},
      description: 'The posts in the category.',
    },
  ],
  description:
    'A post of a blog. A scheduled post becomes public by itself when its time has come, and the first time that a post becomes public is an event.',
  fields: {
    ...IDS,
    blogId: { type: 'int8', description: 'The integer id of its blog.' },
    title: {
      type: 'text',
      writable: 'always',
      default: 'Untitled',
      maxLength: 255,
      description: 'The title of the post.',
    },
    visibility: {
      type: 'text',
      values: ['draft', 'scheduled', 'members_only', 'public'],
      valueDescriptions: {
        draft: 'Only the team sees the post.',
        scheduled: 'The post becomes public at its time of publication.',
        members_only: 'Members see the post.',
        public: 'Everybody sees the post.',
      },
      writable: 'always',
      default: 'draft',
      description: 'Who sees the post.',
    },
    publishedAt: {
      ...TEXT,
      type: 'timestamp',
      description: 'When the post was published, or when a scheduled one is to be.',
      rule: 'If it is null when the post becomes public, it is set to that time. A scheduled post without it waits until it has one.',
    },
    currentPath: {
      type: 'text',
      description:
        'The path of the post, made from the path of its blog and the title that the post had at first.',
    },
    url: {
      type: 'text',
      nullable: true,
      description:
        'The URL of the post on the host of the workspace. Null if the service is reached by an IP address, so that workspaces have no hosts.',
    },
    excerptContent: { ...TEXT, maxLength: 5_000, description: 'The text that lists of posts show.' },
    authorIds: {
      ...IDS_OF,
      idsOf: user,
      maxLength: MAX_AUTHORS,
      description: 'The integer ids of the users who wrote the post.',
      rule: 'Other users than the caller’s own need account:read.',
    },
    authors: {
      type: 'jsonb',
      items: AUTHOR,
      itemType: 'BlogPostAuthor',
      maxLength: MAX_AUTHORS,
      description: 'The users who wrote the post, with the names that they had when the post got them.',
    },
    categoryIds: {
      ...IDS_OF,
      refers: blogCategory,
      maxLength: MAX_GROUPS,
      objectDescription: 'The categories of the post.',
      description: 'The integer ids of its categories, which are of the same blog.',
    },
    categories: {
      type: 'json',
      graphql: false,
      items: NAME_OF_GROUP,
      description: 'The categories of the post.',
    },
    tagIds: {
      ...IDS_OF,
      refers: blogTag,
      maxLength: MAX_GROUPS,
      objectDescription: 'The tags of the post.',
      description: 'The integer ids of its tags, which are of the same blog.',
    },
    tags: { type: 'json', graphql: false, items: NAME_OF_GROUP, description: 'The tags of the post.' },
    imageId: {
      type: 'int8',
      nullable: true,
      refers: image,
      writable: 'always',
      description: 'The integer id of its picture.',
      objectDescription: 'The picture of the post.',
    },
    imageUrl: {
      type: 'text',
      nullable: true,
      graphql: false,
      description: 'The URL of its picture; null if it has none.',
    },
    seoTitle: { ...TEXT, maxLength: 255, description: 'The title for search engines.' },
    seoDescription: { ...TEXT, maxLength: 1_000, description: 'The description for search engines.' },
    markup: { ...TEXT, expand: true, maxLength: 100_000, description: 'The content of the post, as markup.' },
    /** So that its event happens once. */
    wasPublished: { type: 'bool', internal: true, description: 'Whether the post was ever public.' },
    createdAt: { type: 'timestamp', description: 'When the post was created.' },
    updatedAt: { type: 'timestamp', description: 'When the post was last changed.' },
  },
  filters: {
    id: { unique: true },
    visibility: {
      index: 'blog_posts_workspace_id_blog_id_visibility_id_idx',
      untimed: true,
      graphqlOnly: true,
    },
  },
  sorts: ['createdAt', 'updatedAt', 'publishedAt'],
});

export interface AuthorRow extends RowOf<typeof AUTHOR> {}
