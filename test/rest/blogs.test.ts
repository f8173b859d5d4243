// Blogs: posts with authors of the team, tags and categories of their own blog, and their publication, which is an event once.
import { beforeEach, describe, expect, test } from 'vitest';
import { publishDue } from '../../src/services/blogs/scheduled-posts.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { createRestClient, type RestClient, type Shown, sendingAs } from '../support/rest-client.ts';

const gateway = await sharedGateway();
const { app } = gateway;
let client: RestClient;
beforeEach(async () => {
  client = await createRestClient(gateway);
  await app.store.pool.query("insert into sites (workspace_id, name) values ($1, 'Shop')", [
    client.workspaceId,
  ]);
});

const API = '/api/v2';

/** Sends a request that must succeed. */
async function done(method: string, path: string, body?: object): Promise<Shown> {
  const { status, text, body: shown } = await client.send(method, `${API}/${path}`, body);
  expect([status, text]).toEqual([expect.toBeOneOf([200, 201, 204]), text]);
  return shown;
}
const listOf = async (path: string) => (await done('GET', path)) as unknown as Shown[];
const createBlog = (name = 'Trail notes', members: object = {}) =>
  done('POST', `workspaces/${client.workspaceId}/blogs`, { blog: { name, ...members } });
const createPost = (blogId: number, title: string, members: object = {}) =>
  done('POST', `blogs/${blogId}/posts`, { blogs_post: { title, ...members } });
const change = (postId: number, members: object) =>
  done('PATCH', `blogs/posts/${postId}`, { blogs_post: members });
const createGroup = (blogId: number, kind: 'tags' | 'categories', name: string) =>
  done('POST', `blogs/${blogId}/${kind}`, { [kind === 'tags' ? 'blogs_tag' : 'blogs_category']: { name } });

/** The events of the workspace's posts, the oldest first. */
async function events(): Promise<string[]> {
  const { rows } = await app.store.pool.query<{ event_type: string }>(
    "select event_type from events where workspace_id = $1 and event_type like 'blogs/post.%' order by id",
    [client.workspaceId],
  );
  return rows.map(({ event_type }) => event_type.replace('blogs/post.', ''));
}

describe('a blog', () => {
  test('has the site of its workspace, and the style of its theme or of the default one', async () => {
    const { workspaceId } = client;
    const look = async (name: string, isDefault: boolean) => {
      const { rows } = await app.store.pool.query<{ id: string; style: string }>(
        `with t as (insert into themes (workspace_id, name, is_default) values ($1, $2, $3) returning id),
          s as (insert into styles (workspace_id, theme_id, name) select $1, id, 'Light' from t returning id)
          select t.id, s.id as style from t, s`,
        [workspaceId, name, isDefault],
      );
      const [made = { id: '0', style: '0' }] = rows;
      await app.store.pool.query(
        'update themes set current_style_id = $3 where workspace_id = $1 and id = $2',
        [...[workspaceId, made.id, made.style]],
      );
      return { id: Number(made.id), style: Number(made.style) };
    };
    const [plain, alpine] = [await look('Standard', true), await look('Alpine', false)];
    const [site] = await listOf(`workspaces/${workspaceId}/sites`);
    const blog = await createBlog('Größe & Höhe', { seo_title: 'Up', theme_id: null });
    expect(blog).toMatchObject({
      ...{
        workspace_id: Number(workspaceId),
        name: 'Größe & Höhe',
        current_path: '/grosse-hohe',
        seo_title: 'Up',
      },
      ...{
        seo_description: null,
        seo_image_id: null,
        theme_id: null,
        style_id: plain.style,
        site_id: site?.id,
      },
    });
    expect(blog['url']).toMatch(/\/grosse-hohe$/);
    const changed = await done('PATCH', `blogs/${blog.id}`, { blog: { theme_id: alpine.id, name: 'Up' } });
    expect(changed).toMatchObject({
      theme_id: alpine.id,
      style_id: alpine.style,
      current_path: '/grosse-hohe',
    });
    const other = await createRestClient(gateway);
    const foreign = await factories.any(
      app,
      (await import('../../src/resources/images.ts')).image,
      () => other.workspaceId,
      'x',
    );
    expect(
      await client.refused(422, 'PATCH', `${API}/blogs/${blog.id}`, {
        blog: { seo_image_id: Number(foreign.id) },
      }),
    ).toEqual(['seo_image_id']);
  });

  test('takes its posts with it', async () => {
    const { id } = await createBlog();
    const { id: postId } = await createPost(id, 'One');
    await createGroup(id, 'tags', 'Winter');
    await done('DELETE', `blogs/${id}`);
    expect((await client.send('GET', `${API}/blogs/posts/${postId}`)).status).toBe(404);
  });

  test('has each name of a tag and of a category once', async () => {
    const { id } = await createBlog();
    await createGroup(id, 'tags', 'Winter');
    const again = { blogs_tag: { name: 'Winter' } };
    expect(await client.refused(422, 'POST', `${API}/blogs/${id}/tags`, again)).toEqual(['name']);
    const { id: elsewhere } = await createBlog('Workshop');
    await createGroup(elsewhere, 'tags', 'Winter');
    await createGroup(id, 'categories', 'Winter');
  });
});

describe('a post', () => {
  test('shows who wrote it, its tags and categories, and its markup only if asked', async () => {
    const blog = await createBlog();
    const winter = await createGroup(blog.id, 'tags', 'Winter');
    const packing = await createGroup(blog.id, 'tags', 'Packing');
    const category = await createGroup(blog.id, 'categories', 'Know-how');
    const user = await factories.user(app, { teamId: client.teamId, name: 'Ada Lovelace' });
    const made = await createPost(blog.id, 'What to pack', {
      ...{ author_ids: [Number(user.id)], tag_ids: [packing.id, winter.id], category_ids: [category.id] },
      ...{
        excerpt_content: 'Little',
        markup: '<p>Socks</p>',
        seo_title: 'Packing',
        visibility: 'members_only',
      },
    });
    const authors = [{ email_address: user.email, first_name: 'Ada', last_name: 'Lovelace' }];
    expect(made).toMatchObject({
      ...{ blog_id: blog.id, title: 'What to pack', current_path: '/trail-notes/what-to-pack', authors },
      ...{ tags: [{ name: 'Packing' }, { name: 'Winter' }], categories: [{ name: 'Know-how' }] },
      ...{ author_ids: [Number(user.id)], tag_ids: [packing.id, winter.id], category_ids: [category.id] },
      ...{ excerpt_content: 'Little', seo_title: 'Packing', visibility: 'members_only', published_at: null },
      ...{ image_id: null, image_url: null },
    });
    expect(made['url']).toMatch(/\/trail-notes\/what-to-pack$/);
    expect(made).not.toHaveProperty('markup');
    const path = `blogs/posts/${made.id}`;
    expect((await done('GET', `${path}?expand[]=markup`))['markup']).toBe('<p>Socks</p>');
    const expanded = await client.send('PATCH', `${API}/${path}?expand[]=markup`, {
      blogs_post: { markup: null, author_ids: [], title: 'Pack' },
    });
    expect(expanded.body).toMatchObject({
      ...{
        markup: null,
        authors: [],
        author_ids: [],
        title: 'Pack',
        current_path: '/trail-notes/what-to-pack',
      },
    });
    // Removed tags and categories are gone from the post.
    await done('DELETE', `blogs/tags/${winter.id}`);
    await done('DELETE', `blogs/categories/${category.id}`);
    expect(await done('GET', path)).toMatchObject({
      tags: [{ name: 'Packing' }],
      tag_ids: [packing.id],
      categories: [],
    });
  });

  test('is called Untitled without a title, as no member of a body is required', async () => {
    const { id } = await createBlog();
    for (const members of [{ visibility: 'draft' }, { title: null, markup: null, author_ids: null }])
      expect(await done('POST', `blogs/${id}/posts`, { blogs_post: members })).toMatchObject({
        title: 'Untitled',
        visibility: 'draft',
      });
  });

  test('has a path of its own in its blog', async () => {
    const { id } = await createBlog('News', { current_path: 'news/' });
    const { id: other } = await createBlog('More', { current_path: '/more' });
    const pathOf = async (blogId: number, title: string) => (await createPost(blogId, title))['current_path'];
    expect([await pathOf(id, 'Hello!'), await pathOf(id, 'Hello'), await pathOf(id, 'hello')]).toEqual([
      ...['/news/hello', '/news/hello-2', '/news/hello-3'],
    ]);
    expect([await pathOf(other, 'Hello'), await pathOf(other, '日本')]).toEqual([
      '/more/hello',
      '/more/post',
    ]);
  });

  test('refuses authors of other teams, groups of other blogs and images of other workspaces', async () => {
    const blog = await createBlog();
    const other = await createBlog('Workshop');
    const tag = await createGroup(other.id, 'tags', 'Winter');
    const category = await createGroup(other.id, 'categories', 'Guides');
    const stranger = await factories.user(app, { teamId: (await factories.team(app)).id, name: 'Grace' });
    const elsewhere = await createRestClient(gateway);
    const path = `${API}/blogs/${blog.id}/posts`;
    const refused = (members: object) =>
      client.refused(422, 'POST', path, { blogs_post: { title: 'No', ...members } });
    expect(await refused({ author_ids: [Number(stranger.id)] })).toEqual(['author_ids']);
    expect(await refused({ tag_ids: [tag.id] })).toEqual(['tag_ids']);
    expect(await refused({ category_ids: [category.id] })).toEqual(['category_ids']);
    expect(await refused({ visibility: 'secret' })).toEqual(['visibility']);
    const { id: image } = await factories.any(
      app,
      (await import('../../src/resources/images.ts')).image,
      () => elsewhere.workspaceId,
      'x',
    );
    expect(await refused({ image_id: Number(image) })).toEqual(['image_id']);
    const { id } = await createPost(blog.id, 'Yes');
    const changing = (members: object) =>
      client.refused(422, 'PATCH', `${API}/blogs/posts/${id}`, { blogs_post: members });
    expect(await changing({ tag_ids: [tag.id] })).toEqual(['tag_ids']);
    expect(await changing({ author_ids: [Number(stranger.id)] })).toEqual(['author_ids']);
  });

  test('gets authors only from those who may read the users of the team', async () => {
    const blog = await createBlog();
    const user = await factories.user(app, { teamId: client.teamId, name: 'Ada Lovelace' });
    const caller = await factories.apiKey(app, {
      teamId: client.teamId,
      scopes: ['blogs:read', 'blogs:write'],
    });
    const send = sendingAs(gateway, caller);
    const written = (members: object) =>
      send('POST', `${API}/blogs/${blog.id}/posts`, { blogs_post: { title: 'By whom', ...members } });
    expect((await written({ author_ids: [Number(user.id)] })).status).toBe(403);
    const plain = await written({});
    expect(plain.status).toBe(201);
    await change(plain.body.id, { author_ids: [Number(user.id)] });
    const { body } = await send('PATCH', `${API}/blogs/posts/${plain.body.id}`, {
      blogs_post: { title: 'By her' },
    });
    expect(body).toMatchObject({ title: 'By her', authors: [{ first_name: 'Ada' }] });
  });
});

describe('publishing', () => {
  test('is an event the first time that a post becomes public, and sets its time', async () => {
    const { id: blogId } = await createBlog();
    const { id } = await createPost(blogId, 'One');
    await change(id, { visibility: 'members_only' });
    const shown = await change(id, { visibility: 'public' });
    expect(Date.now() - Date.parse(String(shown['published_at']))).toBeLessThan(60_000);
    await change(id, { visibility: 'draft' });
    expect((await change(id, { visibility: 'public' }))['published_at']).toBe(shown['published_at']);
    expect(await events()).toEqual(['created', 'updated', 'updated', 'published', 'updated', 'updated']);
    const given = { visibility: 'public', published_at: '2026-01-31T09:00:00.000Z' };
    expect(await createPost(blogId, 'Two', given)).toMatchObject(given);
    expect((await events()).slice(-2).toSorted()).toEqual(['created', 'published']);
    await done('DELETE', `blogs/posts/${id}`);
    expect((await events()).at(-1)).toBe('deleted');
  });

  test('happens by itself when the time of a scheduled post has come', async () => {
    const { id: blogId } = await createBlog();
    const in1000Hours = new Date(Date.now() + 3_600_000_000).toISOString();
    const due = { visibility: 'scheduled', published_at: '2026-01-31T09:00:00.000Z' };
    const posts = {
      due: await createPost(blogId, 'Due', due),
      later: await createPost(blogId, 'Later', { ...due, published_at: in1000Hours }),
      timeless: await createPost(blogId, 'Timeless', { ...due, published_at: null }),
      again: await createPost(blogId, 'Again', { visibility: 'public' }),
    };
    expect(posts.due).toMatchObject(due);
    await change(posts.again.id, due);
    const before = (await events()).length;
    await publishDue(app, new Date());
    await publishDue(app, new Date());
    const seen = async (one: Shown) => {
      const { visibility, published_at } = await done('GET', `blogs/posts/${one.id}`);
      return [visibility, published_at];
    };
    expect(await seen(posts.due)).toEqual(['public', due.published_at]);
    expect(await seen(posts.again)).toEqual(['public', due.published_at]);
    expect(await seen(posts.later)).toEqual(['scheduled', in1000Hours]);
    expect(await seen(posts.timeless)).toEqual(['scheduled', null]);
    expect((await events()).slice(before).toSorted()).toEqual(['published', 'updated', 'updated']);
    const { rows } = await app.store.pool.query<{ data: Shown }>(
      "select data from events where workspace_id = $1 and event_type = 'blogs/post.published' order by id desc limit 1",
      [client.workspaceId],
    );
    expect(rows[0]?.data).toMatchObject({ id: posts.due.id, visibility: 'public', authors: [], tags: [] });
    expect(rows[0]?.data).not.toHaveProperty('markup');
  });
});

test('GraphQL: a page of a blog with its authors, tags and categories, and the posts of each', async () => {
  const blog = await createBlog();
  const winter = await createGroup(blog.id, 'tags', 'Winter');
  const category = await createGroup(blog.id, 'categories', 'Know-how');
  const user = await factories.user(app, { teamId: client.teamId, name: 'Ada Lovelace' });
  const old = await createPost(blog.id, 'Old', {
    visibility: 'public',
    published_at: '2025-01-01T00:00:00Z',
  });
  await createPost(blog.id, 'Draft', { category_ids: [category.id] });
  const query = `mutation ($blog: ID!, $author: ID!, $tag: ID!, $category: ID!) {
    createBlogPost(input: { blogId: $blog, title: "New", visibility: PUBLIC, authorIds: [$author], tagIds: [$tag], categoryIds: [$category] }) {
      blogPost {
        authors { firstName emailAddress user { firstName } }
        tags { name posts { nodes { title } } }
        categories { name posts { totalCount nodes { title } } }
        blog { site { databaseId } theme { name }
          posts(filter: { visibilities: [PUBLIC] }, orderBy: { field: PUBLISHED_AT, direction: DESC }, first: 5) { nodes { databaseId title } } }
      }
      userErrors { message }
    }
  }`;
  const idOf = (type: string, id: unknown) => Buffer.from(`${type}:${id}`).toString('base64');
  const variables = {
    ...{ blog: idOf('Blog', blog.id), author: idOf('User', user.id) },
    ...{ tag: idOf('BlogTag', winter.id), category: idOf('BlogCategory', category.id) },
  };
  const { data, errors } = await post<{ createBlogPost: { blogPost: object; userErrors: object[] } }>(
    gateway,
    { query, variables },
    { caller: client.caller },
  );
  expect(errors).toBeUndefined();
  expect(data?.createBlogPost.userErrors).toEqual([]);
  expect(data?.createBlogPost.blogPost).toMatchObject({
    authors: [{ firstName: 'Ada', emailAddress: user.email, user: { firstName: 'Ada' } }],
    tags: [{ name: 'Winter', posts: { nodes: [{ title: 'New' }] } }],
    categories: [
      { name: 'Know-how', posts: { totalCount: 2, nodes: [{ title: 'Draft' }, { title: 'New' }] } },
    ],
    blog: { posts: { nodes: [{ title: 'New' }, { databaseId: old.id, title: 'Old' }] } },
  });
});
