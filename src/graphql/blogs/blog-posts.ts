// Adds to posts of blogs their authors.
import { blogPost } from '../../resources/blogs/blog-posts.ts';
import { user } from '../../resources/users.ts';
import { builder } from '../builder.ts';
import { nodeOf } from '../nouns.ts';
import { objectFields, objectType } from '../resource-fields.ts';

const { items, itemType } = blogPost.fields.authors;

const BlogPostAuthor = objectType(
  itemType,
  'A user who wrote a post, as they were when the post got them.',
  items,
  (t) => ({
    user: nodeOf(user).field(
      t,
      'userId',
      'The user as they are now. Null if they have left the team, or if the caller may not see them.',
    ),
  }),
);

builder.objectFields(nodeOf(blogPost).ref, (t) =>
  objectFields(t, blogPost.fields, { authors: BlogPostAuthor }),
);
