// Blogs with their posts, and the tags and categories of these.
import type { Context } from '../../context.ts';
import { invalid, noSuch } from '../../errors.ts';
import { blogPost } from '../../resources/blogs/blog-posts.ts';
import { blog, blogCategory, blogTag } from '../../resources/blogs/blogs.ts';
import type { Fields } from '../../resources/description/fields.ts';
import { user } from '../../resources/users.ts';
import { BLOG_POST_RULES, BLOG_RULES } from '../../store/changing/blogs.ts';
import * as users from '../accounts/users.ts';
import { writesOf } from '../changing/writes.ts';
import type { NameOf, NewValues } from '../input/parse-fields.ts';
import { defineService } from '../service.ts';

/**
 * The authors that a client gives a post, with their names. They are users that the caller may see.
 * @throws AppError `invalid` for another user, `insufficient_scope` without the scope for others than the caller's own user
 */
async function findAuthors(
  ctx: Context,
  { authorIds }: { readonly authorIds?: readonly bigint[] },
  nameOf: NameOf,
): Promise<NewValues<Fields>> {
  if (authorIds === undefined) return {};
  const found = await users.getMany(ctx, authorIds);
  const refused = found.find((one) => one instanceof Error);
  if (refused !== undefined) throw refused;
  const missing = authorIds.filter((_, index) => found[index] === null);
  if (missing.length > 0)
    throw invalid(nameOf('authorIds', blogPost.fields.authorIds), {
      ...noSuch(user.title, missing),
      message: 'there is no such user in this team',
    });
  const authors = (found as users.UserRow[]).map(({ id, email, firstName, lastName }) => ({
    ...{ userId: id, emailAddress: email, firstName, lastName },
  }));
  return { authors };
}

export const blogs = defineService(blog, { writes: writesOf(blog, BLOG_RULES) });
export const tags = defineService(blogTag, {
  writes: writesOf(blogTag, { constraints: { blog_tags_workspace_id_blog_id_name_key: 'name' } }),
});
export const categories = defineService(blogCategory, {
  writes: writesOf(blogCategory, { constraints: { blog_categories_workspace_id_blog_id_name_key: 'name' } }),
});
export const posts = defineService(blogPost, {
  writes: writesOf(blogPost, { ...BLOG_POST_RULES, lookUp: findAuthors }),
});
