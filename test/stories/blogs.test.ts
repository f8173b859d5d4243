import { expect, test } from 'vitest';
import { newClient } from './client.ts';

test('a blog: a post is written, waits for its day, and is found by its tag', async () => {
  const client = await newClient();

  const blog = await client.post(`${client.workspace}/blogs`, { blog: { name: 'Hut diary' } });
  const winter = await client.post(`/blogs/${blog.id}/tags`, { blogs_tag: { name: 'Winter' } });
  const journeys = await client.post(`/blogs/${blog.id}/categories`, {
    blogs_category: { name: 'Journeys' },
  });

  const me = await client.get('/me');
  const post = await client.post(`/blogs/${blog.id}/posts`, {
    blogs_post: {
      ...{ title: 'The first night', markup: '<p>It was cold.</p>', author_ids: [me.id] },
      ...{ tag_ids: [winter.id], category_ids: [journeys.id] },
    },
  });
  expect(post).toMatchObject({
    ...{ visibility: 'draft', published_at: null, current_path: '/hut-diary/the-first-night' },
    ...{ tags: [{ name: 'Winter' }], categories: [{ name: 'Journeys' }] },
  });

  const scheduled = { visibility: 'scheduled', published_at: '2100-01-31T08:00:00.000Z' };
  expect(await client.patch(`/blogs/posts/${post.id}`, { blogs_post: scheduled })).toMatchObject(scheduled);
  const now = { visibility: 'public', published_at: null };
  expect((await client.patch(`/blogs/posts/${post.id}`, { blogs_post: now })).published_at).not.toBeNull();

  const workshop = await client.post(`${client.workspace}/blogs`, { blog: { name: 'Workshop' } });
  expect(
    await client.refused('POST', `/blogs/${workshop.id}/posts`, {
      blogs_post: { title: 'A zip', tag_ids: [winter.id] },
    }),
  ).toEqual([422, 'invalid', 'tag_ids']);

  const { blogTag } = await client.graphql(
    `query ($id: BigInt!) { blogTag(by: { databaseId: $id }) { posts(orderBy: { field: PUBLISHED_AT }) { nodes { title visibility } } } }`,
    { id: winter.id },
  );
  expect(blogTag.posts.nodes).toEqual([{ title: 'The first night', visibility: 'PUBLIC' }]);
});
