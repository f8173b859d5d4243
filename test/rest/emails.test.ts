// E-mails: topics that are archived, the default address, and what a workspace sends from.
import { beforeEach, describe, expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { createRestClient, type RestClient, type Shown } from '../support/rest-client.ts';

const gateway = await sharedGateway();
let client: RestClient;
/** The path of the workspace's e-mails. */
let emails: string;

const API = '/api/v2';

/** Sends a request that must succeed. */
async function done(method: string, path: string, body?: object): Promise<Shown> {
  const { status, text, body: shown } = await client.send(method, `${API}/${path}`, body);
  expect([status, text]).toEqual([expect.toBeOneOf([200, 201, 204]), text]);
  return shown;
}
const listOf = async (path: string) => (await done('GET', path)) as unknown as Shown[];
const namesOf = async (path: string) => (await listOf(path)).map(({ name }) => name);
const createTopic = (name: string) => done('POST', `${emails}/topics`, { emails_topic: { name } });
const createAddress = (email_address: string, members: object = {}) =>
  done('POST', `${emails}/addresses`, { emails_address: { email_address, name: 'Somebody', ...members } });

beforeEach(async () => {
  client = await createRestClient(gateway);
  emails = `workspaces/${client.workspaceId}/emails`;
});

describe('topics', () => {
  test('lists leave archived ones out, unless they are asked for', async () => {
    const news = await createTopic('News');
    await createTopic('Sale');
    expect(news).toMatchObject({ description: null, archived: false, archived_at: null });
    await done('POST', `emails/topics/${news.id}/archive`);
    const path = `${emails}/topics`;
    expect(await namesOf(path)).toEqual(['Sale']);
    expect(await namesOf(`${path}?include_archived=true`)).toEqual(['News', 'Sale']);
    expect(await namesOf(`${path}?include_archived=false&sort_order=desc`)).toEqual(['Sale']);
    expect(await namesOf(`${path}?filter[archived]=true`)).toEqual(['News']);
    expect(await namesOf(`${path}?filter[id]=${news.id}`)).toEqual([]);
    expect(await namesOf(`${path}?filter[id]=${news.id}&include_archived=true`)).toEqual(['News']);
    expect(await client.refused(422, 'GET', `${API}/${path}?include_archived=all`)).toEqual([
      'include_archived',
    ]);
    await done('POST', `emails/topics/${news.id}/unarchive`);
    expect(await namesOf(path)).toEqual(['News', 'Sale']);
  });

  test('over GraphQL a list has them all, and filters', async () => {
    const news = await createTopic('News');
    await createTopic('Sale');
    await done('POST', `emails/topics/${news.id}/archive`);
    const query = `query ($id: BigInt!) { workspace(by: { databaseId: $id }) {
      emailTopics { nodes { name isArchived } } active: emailTopics(filter: { isArchived: false }) { nodes { name } } } }`;
    const variables = { id: String(client.workspaceId) };
    const { data } = await post(gateway, { query, variables }, { caller: client.caller });
    expect(data).toEqual({
      workspace: {
        emailTopics: {
          nodes: [
            { name: 'News', isArchived: true },
            { name: 'Sale', isArchived: false },
          ],
        },
        active: { nodes: [{ name: 'Sale' }] },
      },
    });
  });
});

describe('addresses', () => {
  test('one is the default: a new default takes the place of the previous one', async () => {
    const first = await createAddress('one@example.com', { is_workspace_default: true });
    const second = await createAddress('two@example.com');
    const defaults = async () =>
      (await listOf(`${emails}/addresses`)).map((one) => one['is_workspace_default']);
    expect(await defaults()).toEqual([true, false]);
    const change = (id: number, is_workspace_default: boolean) =>
      done('PATCH', `emails/addresses/${id}`, { emails_address: { is_workspace_default } });
    await change(second.id, true);
    expect(await defaults()).toEqual([false, true]);
    await change(second.id, true);
    expect(await defaults()).toEqual([false, true]);
    const third = await createAddress('three@example.com', { is_workspace_default: true });
    expect(await defaults()).toEqual([false, false, true]);
    await change(third.id, false);
    expect(await defaults()).toEqual([false, false, false]);
    await Promise.all([first, second, third].map(({ id }) => change(id, true)));
    expect((await defaults()).filter((isDefault) => isDefault)).toEqual([true]);
  });

  test('an address is unique in its workspace, ignoring case, and must be one', async () => {
    await createAddress('Shop@example.com');
    const create = (email_address: string) =>
      client.refused(422, 'POST', `${API}/${emails}/addresses`, {
        emails_address: { email_address, name: 'Somebody' },
      });
    expect(await create('shop@EXAMPLE.com')).toEqual(['email_address']);
    expect(await create('shop')).toEqual(['email_address']);
  });
});

test('templates are created, changed and deleted', async () => {
  const members = { name: 'News', template_type: 'newsletter' };
  const { id } = await done('POST', `${emails}/templates`, { emails_template: members });
  await done('PATCH', `emails/templates/${id}`, { emails_template: { html_body: '<p>Hello</p>' } });
  expect(await done('GET', `emails/templates/${id}`)).toMatchObject({
    ...{ id, ...members, subject: null, html_body: '<p>Hello</p>', text_body: null },
    workspace_id: Number(client.workspaceId),
  });
  await done('DELETE', `emails/templates/${id}`);
  expect(await listOf(`${emails}/templates`)).toEqual([]);
});
