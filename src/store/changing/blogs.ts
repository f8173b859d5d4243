// The SQL that is specific to changes of blogs and their posts: paths, groups of the same blog, and when a post is published.
import { randomBytes } from 'node:crypto';
import { noSuch } from '../../errors.ts';
import { blogCategory, blogTag } from '../../resources/blogs/blogs.ts';
import { toSnakeCase } from '../../resources/description/names.ts';
import type { Resource } from '../../resources/description/resource.ts';
import { type Executor, inTransaction } from '../connections/executor.ts';
import { toPath } from '../sql/paths.ts';
import { statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';
import { blogPostTable } from '../tables/blogs.ts';
import { tableOf } from '../tables/tables.ts';
import { changeRows } from './other-rows.ts';
import { pathFor } from './pages.ts';
import { writeOutbox } from './record.ts';
import { type ChangeRules, type ChangingRow, Refused } from './rules.ts';

const POSTS = tableOf(blogPostTable);

export const BLOG_RULES: ChangeRules = {
  derived: { current_path: { onCreate: '$path::text', onUpdate: 'o.current_path' } },
  others: {
    nouns: [],
    parameters: async (_tx, { given }) => ({ path: pathFor(given?.columns ?? {}, '') }),
  },
};

/** When a post becomes public it gets a time of publication. A client may give another one. */
const PUBLISHED_AT = "coalesce(n.published_at, date_trunc('milliseconds', clock_timestamp()))";

export const BLOG_POST_RULES: ChangeRules = {
  derived: {
    current_path: { onCreate: '$path::text', onUpdate: 'o.current_path' },
    authors: { onCreate: "coalesce(n.authors, '[]')", onUpdate: 'n.authors' },
    published_at: {
      onCreate: `case n.visibility when 'public' then ${PUBLISHED_AT} else n.published_at end`,
      onUpdate: `case when n.visibility = 'public' and o.visibility <> 'public' then ${PUBLISHED_AT} else n.published_at end`,
    },
    was_published: {
      onCreate: "(n.visibility = 'public')",
      onUpdate: "(o.was_published or n.visibility = 'public')",
    },
  },
  events: {
    published: { onCreate: 'n.was_published', onUpdate: '(n.was_published and not o.was_published)' },
  },
  others: {
    nouns: [],
    async before(tx, row) {
      await requireGroups(tx, row, 'tagIds', blogTag);
      await requireGroups(tx, row, 'categoryIds', blogCategory);
      return [];
    },
    parameters: async (tx, row) => ({ path: await freePath(tx, row) }),
  },
};

/** Requires that the tags or categories of a post are of its blog. @throws Refused */
async function requireGroups(
  tx: Executor,
  { workspaceId, parentId, given }: ChangingRow,
  property: string,
  { table, title }: Pick<Resource, 'table' | 'title'>,
): Promise<void> {
  const ids = given?.columns[toSnakeCase(property)] as readonly bigint[] | undefined;
  if (ids === undefined || ids.length === 0) return;
  const others = await tx.$queryRawUnsafe<{ id: bigint }[]>(
    `select u.id from unnest($3::bigint[]) u (id) where not exists (select from ${table} g
      where g.workspace_id = $1::bigint and g.blog_id = $2::bigint and g.id = u.id)`,
    ...[workspaceId, parentId, ids],
  );
  if (others.length === 0) return;
  const fault = noSuch(title);
  throw new Refused(property, { ...fault, message: `there is no such ${title.toLowerCase()} in this blog` });
}

/** How many numbers are tried before a path gets a random end. */
const MAX_NUMBERED = 10;

/** The path of a new post, from its title. The blog is locked, so that no two posts get the same. */
async function freePath(tx: Executor, { workspaceId, parentId, given }: ChangingRow): Promise<string> {
  const slug = toPath(String(given?.columns['title']), 'post');
  const numbers = Array.from({ length: MAX_NUMBERED }, (_, index) => index + 1);
  const slugs = [
    ...numbers.map((number) => (number === 1 ? slug : `${slug}-${number}`)),
    `${slug}-${randomBytes(4).toString('hex')}`,
  ];
  const [free] = await tx.$queryRawUnsafe<{ path: string }[]>(
    `select rtrim(b.current_path, '/') || '/' || u.slug as path
      from blogs b cross join lateral unnest($3::text[]) with ordinality u (slug, place)
      where b.workspace_id = $1::bigint and b.id = $2::bigint and not exists (select from blog_posts p
        where p.workspace_id = $1::bigint and p.blog_id = $2::bigint and p.current_path = rtrim(b.current_path, '/') || '/' || u.slug)
      order by u.place limit 1`,
    ...[workspaceId, parentId, slugs],
  );
  return free?.path ?? '';
}

interface DuePost {
  readonly workspaceId: bigint;
  readonly id: bigint;
}

/** The scheduled posts whose time had come at `$1`. */
const DUE = statement(
  'blog_posts.due',
  () => `select p.workspace_id as "workspaceId", p.id from blog_posts p
    where p.visibility = 'scheduled' and p.published_at <= $1::timestamptz order by p.published_at limit $2::int`,
);

/**
 * Publishes scheduled posts whose time had come at `now`, with their events. No caller does this, so audit entries do not show it.
 * @param most the most posts of one call
 * @returns the number of those found, and the endpoints that were notified
 */
export async function publishDuePosts(
  store: Pick<Store, 'pool'>,
  now: Date,
  most: number,
): Promise<{ readonly found: number; readonly endpoints: readonly bigint[] }> {
  const due = await query<DuePost>(store, DUE, [now, most]);
  const byWorkspace = Map.groupBy(due, ({ workspaceId }) => workspaceId);
  const endpoints: bigint[] = [];
  for (const [workspaceId, posts] of byWorkspace) {
    const ids = posts.map(({ id }) => id);
    endpoints.push(...(await publishIn(store, workspaceId, ids, now)));
  }
  return { found: due.length, endpoints };
}

/** The posts that are still due; they stay so until the transaction ends. */
const LOCK_DUE = `select p.id, p.was_published as "wasPublished" from blog_posts p
  where p.workspace_id = $1::bigint and p.id = any($2::bigint[]) and p.visibility = 'scheduled' and p.published_at <= $3::timestamptz
  order by p.id for update`;

function publishIn(
  { pool }: Pick<Store, 'pool'>,
  workspaceId: bigint,
  ids: readonly bigint[],
  now: Date,
): Promise<readonly bigint[]> {
  return inTransaction(pool, async (tx) => {
    const due = await tx.$queryRawUnsafe<{ id: bigint; wasPublished: boolean }[]>(
      ...[LOCK_DUE, workspaceId, ids, now],
    );
    const publish = (wasPublished: boolean) =>
      changeRows(
        tx,
        POSTS,
        workspaceId,
        due.filter((post) => post.wasPublished === wasPublished).map(({ id }) => id),
        "visibility = 'public', was_published = true",
        wasPublished ? [] : ['published'],
      );
    const records = [...(await publish(false)), ...(await publish(true))];
    const events = records.flatMap((record) => record.events);
    if (events.length === 0) return [];
    return (await writeOutbox(tx, { workspaceId, contactId: null, events })).endpoints;
  });
}
