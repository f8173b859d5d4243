// The blog of a workspace, with the tags and the categories of its posts.
import { IDS, NAME, OF_WORKSPACE } from '../description/common-fields.ts';
import { describe } from '../description/resource.ts';
import { image } from '../images.ts';
import { site } from '../sites.ts';
import { style, theme } from '../themes.ts';
import { workspace } from '../workspaces.ts';

/** The most of each below one blog. */
const MAX_TAGS = 1_000;
const MAX_CATEGORIES = 200;

export const blog = describe({
  type: 'Blog',
  title: 'Blog',
  table: 'blogs',
  number: 140n,
  parent: workspace,
  plural: 'blogs',
  path: 'blogs',
  wrapper: 'blog',
  scope: 'blogs',
  topic: 'blog',
  verbs: ['create', 'update', 'remove'],
  gatewayOnly: ['create', 'remove'],
  description:
    'A blog on the site of a workspace: posts, with the tags and categories that group them. Deleting a blog deletes its posts, without an event for each.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: { ...NAME, description: 'The name of the blog.' },
    currentPath: {
      type: 'text',
      writable: 'at_creation',
      maxLength: 255,
      description: 'The path of the blog on its site.',
      rule: 'By default it is made from the name.',
    },
    url: {
      type: 'text',
      nullable: true,
      description:
        'The URL of the blog on the host of the workspace. Null if the service is reached by an IP address, so that workspaces have no hosts.',
    },
    siteId: {
      type: 'int8',
      nullable: true,
      refers: site,
      description: 'The integer id of the site of its workspace, which every workspace has from the start.',
      objectDescription: 'The site of its workspace.',
    },
    themeId: {
      type: 'int8',
      nullable: true,
      refers: theme,
      writable: 'always',
      description: 'The integer id of the theme. Null for the default theme of the workspace.',
    },
    styleId: {
      type: 'int8',
      nullable: true,
      refers: style,
      description: 'The integer id of the current style of its theme, or of the default theme.',
      objectDescription: 'The current style of its theme, or of the default theme.',
    },
    seoTitle: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 255,
      description: 'The title for search engines.',
    },
    seoDescription: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 1_000,
      description: 'The description for search engines.',
    },
    seoImageId: {
      type: 'int8',
      nullable: true,
      refers: image,
      writable: 'always',
      description: 'The integer id of the image for shared links to the blog.',
      objectDescription: 'The image for shared links to the blog.',
    },
    createdAt: { type: 'timestamp', description: 'When the blog was created.' },
    updatedAt: { type: 'timestamp', description: 'When the blog was last changed.' },
  },
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['createdAt', 'name'],
});

/** What tags and categories have in common. */
const GROUP = {
  parent: blog,
  scope: 'blogs',
  verbs: ['create', 'update', 'remove'],
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['createdAt', 'name'],
} as const;

export const blogTag = describe({
  ...GROUP,
  type: 'BlogTag',
  title: 'Blog tag',
  table: 'blog_tags',
  number: 141n,
  plural: 'tags',
  listDescription: 'The tags of the blog, which label its posts.',
  parentDescription: 'The blog of the tag.',
  path: 'tags',
  members: 'blogs/tags',
  wrapper: 'blogs_tag',
  topic: 'blogs/tag',
  subjectType: 'Blogs::Tag',
  gatewayOnly: ['update', 'remove'],
  most: MAX_TAGS,
  description: 'A label for the posts of a blog. Deleting a tag removes it from all posts.',
  fields: {
    ...IDS,
    blogId: { type: 'int8', description: 'The integer id of its blog.' },
    name: { ...NAME, description: 'The name of the tag, unique in its blog.' },
    createdAt: { type: 'timestamp', description: 'When the tag was created.' },
    updatedAt: { type: 'timestamp', description: 'When the tag was last changed.' },
  },
});

export const blogCategory = describe({
  ...GROUP,
  type: 'BlogCategory',
  title: 'Blog category',
  table: 'blog_categories',
  number: 142n,
  plural: 'categories',
  listDescription: 'The categories of the blog, which group its posts.',
  parentDescription: 'The blog of the category.',
  path: 'categories',
  members: 'blogs/categories',
  wrapper: 'blogs_category',
  topic: 'blogs/category',
  subjectType: 'Blogs::Category',
  gatewayOnly: true,
  most: MAX_CATEGORIES,
  description:
    'A section of a blog, for the posts about one subject. Deleting a category removes it from all posts.',
  fields: {
    ...IDS,
    blogId: { type: 'int8', description: 'The integer id of its blog.' },
    name: { ...NAME, description: 'The name of the category, unique in its blog.' },
    createdAt: { type: 'timestamp', description: 'When the category was created.' },
    updatedAt: { type: 'timestamp', description: 'When the category was last changed.' },
  },
});
