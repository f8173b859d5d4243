// The computed columns of blogs and their posts: URLs, the style of a blog, and what groups a post.
import { blogPost } from '../../resources/blogs/blog-posts.ts';
import { blog } from '../../resources/blogs/blogs.ts';
import { rowsAsJson } from '../sql/row-json.ts';
import { BLOG_URL } from './addresses.ts';
import { imageUrl } from './images.ts';
import { existingIds, ownTable } from './table.ts';

export const blogTable = ownTable(blog, {
  computed: {
    url: BLOG_URL,
    siteId: '(select s.id from sites s where s.workspace_id = $row_workspace)',
    // The workspace's default theme is looked up apart: with `or`, each row would read all themes.
    styleId: `(select h.current_style_id from themes h where h.workspace_id = $row_workspace
      and h.id = coalesce(t.theme_id, (select d.id from themes d where d.workspace_id = $row_workspace and d.is_default)))`,
  },
});

/** The names of the rows of `table` whose ids are in `ids`, in the order of the ids. */
const namesIn = (table: string, ids: string) =>
  rowsAsJson(
    'g.name',
    `unnest(${ids}) with ordinality i (id, place) join ${table} g on g.workspace_id = $row_workspace and g.id = i.id`,
    'i.place',
  );

/** Pairs the posts that have the id `v.value` in a list of theirs with this id. No index has them in the order of ids. */
const postsWith = (ids: string) => ({
  table: `(select p.workspace_id, p.id as post_id, v.value as group_id from blog_posts p where p.${ids} @> array[v.value])`,
  row: 'post_id',
  value: 'group_id',
  isUnordered: true as const,
});

export const blogPostTable = ownTable(blogPost, {
  pairs: { tag: postsWith('tag_ids'), category: postsWith('category_ids') },
  computed: {
    url: BLOG_URL,
    categoryIds: existingIds('blog_categories', 't.category_ids'),
    categories: namesIn('blog_categories', 't.category_ids'),
    tagIds: existingIds('blog_tags', 't.tag_ids'),
    tags: namesIn('blog_tags', 't.tag_ids'),
    imageUrl: `(select ${imageUrl('m')} from images m where m.workspace_id = $row_workspace and m.id = t.image_id)`,
  },
});
