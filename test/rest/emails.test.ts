// E-mails: topics that are archived, the default address, settings, and drafts of broadcasts, whose recipients are personal data.
import { beforeEach, describe, expect, test } from 'vitest';
import { blankAll } from '../support/blanking.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { createRestClient, type RestClient, type Shown, sendingAs } from '../support/rest-client.ts';

const gateway = await sharedGateway();
const { app } = gateway;
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

describe('settings', () => {
  const settings = () => done('GET', `${emails}/settings`);
  const change = (members: object) => done('PATCH', `${emails}/settings`, { emails_settings: members });

  test('are there from the start, and name addresses of the workspace', async () => {
    const nobody = { email_address: null, name: null };
    expect(await settings()).toMatchObject({
      workspace_id: Number(client.workspaceId),
      marketing_emails_from_address: nobody,
      marketing_emails_reply_to_address: nobody,
      system_emails_from_address: nobody,
      system_emails_reply_to_address: nobody,
    });
    const { id } = await createAddress('shop@example.com');
    const changed = await change({ marketing_emails_from_address_id: id });
    expect(changed).toEqual(await settings());
    expect(changed).toMatchObject({
      marketing_emails_from_address: { email_address: 'shop@example.com', name: 'Somebody' },
      marketing_emails_from_address_id: id,
      system_emails_from_address: nobody,
    });
    const query = `query ($id: BigInt!) { workspace(by: { databaseId: $id }) {
      emailSettings { marketingEmailsFromAddress { emailAddress } systemEmailsFromAddress { name } } } }`;
    const variables = { id: String(client.workspaceId) };
    expect((await post(gateway, { query, variables }, { caller: client.caller })).data).toEqual({
      workspace: {
        emailSettings: {
          marketingEmailsFromAddress: { emailAddress: 'shop@example.com' },
          systemEmailsFromAddress: null,
        },
      },
    });
  });

  test('use an address, which cannot be deleted meanwhile, and none of another workspace', async () => {
    const { id } = await createAddress('shop@example.com');
    await change({ system_emails_reply_to_address_id: id });
    const { status, body } = await client.send('DELETE', `${API}/emails/addresses/${id}`);
    expect([status, body['detail']]).toEqual([
      409,
      'The e-mail address is used by the e-mail settings and was not deleted.',
    ]);
    await change({ system_emails_reply_to_address_id: null });
    await done('DELETE', `emails/addresses/${id}`);
    const other = await createRestClient(gateway);
    const foreign = await other.send('POST', `${API}/workspaces/${other.workspaceId}/emails/addresses`, {
      emails_address: { email_address: 'other@example.com', name: 'Other' },
    });
    expect(
      await client.refused(422, 'PATCH', `${API}/${emails}/settings`, {
        emails_settings: { marketing_emails_reply_to_address_id: foreign.body.id },
      }),
    ).toEqual(['marketing_emails_reply_to_address_id']);
    expect((await client.send('GET', `${API}/workspaces/${other.workspaceId}/emails/settings`)).status).toBe(
      404,
    );
  });
});

describe('broadcasts', () => {
  const path = () => `${API}/${emails}/broadcasts`;
  const draft = (members: object = {}) => ({
    emails_broadcast: { name: 'News', from_email: 'shop@example.com', ...members },
  });
  const create = (members: object = {}) => done('POST', `${emails}/broadcasts`, draft(members));
  const change = (id: number, members: object) =>
    done('PATCH', `emails/broadcasts/${id}`, { emails_broadcast: members });
  const createFilter = async (members: object = {}) =>
    (
      await done('POST', `workspaces/${client.workspaceId}/refine_filters`, {
        refine_filter: {
          criteria: [{ attribute: 'created_at', clause: 'gte', value: '2020-01-01' }],
          ...members,
        },
      })
    ).id;
  const recipientsOf = (id: number) => listOf(`emails/broadcasts/${id}/recipients`);

  test('are drafts: nothing is sent, and a time to send is kept', async () => {
    const send_at = '2030-01-01T09:00:00.000Z';
    const times = { send_at, send_at_local_time: '2030-01-01 10:00', time_zone: 'Europe/Madrid' };
    const made = await create({ ...times, send_immediately: false, external_id: 'x-1' });
    expect(made).toMatchObject({
      ...times,
      ...{ status: 'draft', send_immediately: false, sending_at: null, complete_at: null, topic_ids: [] },
      ...{ from_email: 'shop@example.com', from_name: null, external_id: 'x-1', filter_id: null },
      origination_channel_id: Number(client.workspaceId),
      origination_channel_type: 'Workspace',
    });
    const refusal = await client.send('POST', path(), draft({ send_immediately: true }));
    expect([refusal.status, refusal.body['errors']]).toEqual([
      422,
      [
        {
          code: 'not_allowed',
          field: 'send_immediately',
          message: 'send_immediately must be false: this service keeps drafts and sends no e-mails.',
        },
      ],
    ]);
    expect(await client.refused(422, 'POST', path(), draft({ send_immediately: true }))).toEqual([
      'send_immediately',
    ]);
    expect(await listOf(`${emails}/broadcasts?filter[status]=draft`)).toEqual([made]);
    expect(await listOf(`${emails}/broadcasts?filter[status]=complete,sending`)).toEqual([]);
    expect(await listOf(`${emails}/broadcasts?filter[id]=${made.id}`)).toEqual([made]);
    expect(await client.refused(422, 'GET', `${path()}?filter[status]=sent`)).toEqual(['filter[status]']);
  });

  test('belong to a workspace of the team, of which it may have several, and to no other', async () => {
    await factories.workspace(app, { teamId: client.teamId });
    const draft = { emails_broadcast: { name: 'Spring', from_email: 'shop@example.com' } };
    await done('POST', `${emails}/broadcasts`, draft);
    const { id } = await factories.workspace(app);
    const path = `${API}/workspaces/${id}/emails/broadcasts`;
    expect((await client.send('POST', path, draft)).status).toBe(404);
  });

  test('select contacts by a saved filter of the workspace, by its integer id', async () => {
    const filter_id = await createFilter({ name: 'Readers' });
    const made = await create({ filter_id });
    expect(made['filter_id']).toBe(filter_id);
    const orders = await createFilter({ name: 'Orders', filter_class: 'OrdersFilter' });
    const refused = (id: number | string) => client.refused(422, 'POST', path(), draft({ filter_id: id }));
    expect(await refused(orders)).toEqual(['filter_id']);
    expect(await refused(999_999_999)).toEqual(['filter_id']);
    expect(
      await client.refused(422, 'PATCH', `${API}/emails/broadcasts/${made.id}`, {
        emails_broadcast: { filter_id: orders },
      }),
    ).toEqual(['filter_id']);
    expect((await client.send('DELETE', `${API}/refine_filters/${filter_id}`)).status).toBe(409);
    expect((await change(made.id, { filter_id: null }))['filter_id']).toBeNull();
    await done('DELETE', `refine_filters/${filter_id}`);
  });

  test('are about topics of the workspace; a topic that is deleted goes', async () => {
    const topics = [await createTopic('News'), await createTopic('Sale')].map(({ id }) => id);
    const made = await create({ topic_ids: topics });
    expect(made['topic_ids']).toEqual(topics);
    expect(await client.refused(422, 'POST', path(), draft({ topic_ids: [999_999_999] }))).toEqual([
      'topic_ids',
    ]);
    await done('DELETE', `emails/topics/${topics[0]}`);
    expect((await done('GET', `emails/broadcasts/${made.id}`))['topic_ids']).toEqual([topics[1]]);
  });

  test('copy the texts of their template, unless they have their own', async () => {
    const createTemplate = async (subject: string) =>
      (
        await done('POST', `${emails}/templates`, {
          emails_template: {
            name: subject,
            template_type: 'newsletter',
            subject,
            html_body: `<p>${subject}</p>`,
          },
        })
      ).id;
    const [one, two] = [await createTemplate('One'), await createTemplate('Two')];
    const made = await create({ template_id: one, subject: 'Ours', text_body: 'Hello' });
    expect(made).toMatchObject({ subject: 'Ours', html_body: '<p>One</p>', text_body: 'Hello' });
    await done('PATCH', `emails/templates/${one}`, { emails_template: { html_body: '<p>New</p>' } });
    expect(await done('GET', `emails/broadcasts/${made.id}`)).toMatchObject({ html_body: '<p>One</p>' });
    expect(await change(made.id, { template_id: two, html_body: '<p>Ours</p>' })).toMatchObject({
      ...{ subject: 'Two', html_body: '<p>Ours</p>', text_body: 'Hello', template_id: two },
    });
    expect(await change(made.id, { template_id: null })).toMatchObject({ subject: 'Two', template_id: null });
    await done('DELETE', `emails/templates/${two}`);
  });

  test('have the name of their sender from the addresses of the workspace', async () => {
    await createAddress('Shop@example.com', { name: 'The shop' });
    const made = await create();
    expect(made['from_name']).toBe('The shop');
    expect((await change(made.id, { from_email: 'other@example.com' }))['from_name']).toBeNull();
  });

  test('drafts that name the same new recipients at once, in any order, share their contacts', async () => {
    for (let round = 0; round < 3; round++) {
      const recipients = ['mia', 'leo', 'ada'].map((name) => ({ email: `${name}${round}@example.com` }));
      const drafts = await Promise.all([
        create({ recipients }),
        create({ recipients: recipients.toReversed() }),
        create({ recipients }),
      ]);
      const lists = await Promise.all(drafts.map(({ id }) => recipientsOf(id)));
      expect(new Set(lists.flat().map((one) => one['contact_id'])).size).toBe(3);
    }
  });

  test('recipients are contacts: known ones are found by their address, others are created', async () => {
    const known = (await client.create({ email_address: 'Mia@example.com', first_name: 'Mia' })).body.id;
    const recipients = [
      { email: 'mia@EXAMPLE.com', first_name: 'Maria', last_name: null },
      { email: 'noah@example.com', first_name: 'Noah', last_name: 'Lee' },
      { email: ' Noah@example.com' },
    ];
    const { id } = await create({ recipients });
    const shown = await recipientsOf(id);
    expect(shown).toMatchObject([
      { broadcast_id: id, contact_id: known, email: 'mia@EXAMPLE.com', first_name: 'Maria' },
      { email: 'noah@example.com', first_name: 'Noah', last_name: 'Lee' },
    ]);
    const noah = Number(shown[1]?.['contact_id']);
    expect(await done('GET', `contacts/${noah}`)).toMatchObject({
      ...{ email_address: 'noah@example.com', first_name: 'Noah', last_name: 'Lee', anonymous: 0 },
    });
    expect(await done('GET', `contacts/${known}`)).toMatchObject({ first_name: 'Mia' });
    expect(await client.recordOf(noah)).toEqual({
      actions: ['contact.created', 'emails/broadcasts/recipient.created'],
      events: ['contact.created', 'contact.identified'],
    });
    expect(await client.refused(422, 'POST', path(), draft({ recipients: [{ email: 'noah' }, {}] }))).toEqual(
      ['recipients[0].email', 'recipients[1].email'],
    );
    await done('DELETE', `emails/broadcasts/${id}`);
    expect((await client.send('GET', `${API}/emails/broadcasts/recipients/${shown[0]?.id}`)).status).toBe(
      404,
    );
  });

  test('are created in a workspace of a team with several, and in no other team’s', async () => {
    const { teamId, workspaceId } = client;
    const { id: other } = await factories.workspace(app, { teamId });
    for (const workspace of [workspaceId, other])
      expect(await done('POST', `workspaces/${workspace}/emails/broadcasts`, draft())).toMatchObject({
        name: 'News',
      });
    const stranger = await createRestClient(gateway);
    await stranger.refused(404, 'POST', path(), draft());
    expect(await listOf(`${emails}/broadcasts`)).toHaveLength(1);
  });

  test('recipients need the scope to change contacts', async () => {
    const caller = await factories.apiKey(app, { teamId: client.teamId, scopes: ['emails:write'] });
    const send = sendingAs(gateway, caller);
    expect((await send('POST', path(), draft({ recipients: [] }))).status).toBe(201);
    expect((await send('POST', path(), draft({ recipients: [{ email: 'mia@example.com' }] }))).status).toBe(
      403,
    );
  });

  test('a retry gets the first answer, and creates nobody twice', async () => {
    const headers = { 'Idempotency-Key': 'broadcast-1' };
    const body = draft({ recipients: [{ email: 'mia@example.com' }] });
    const first = await client.send('POST', path(), body, headers);
    const second = await client.send('POST', path(), body, headers);
    expect([first.status, second.body]).toEqual([201, first.body]);
    expect(await listOf(`workspaces/${client.workspaceId}/contacts`)).toHaveLength(1);
    expect(await recipientsOf(first.body.id)).toHaveLength(1);
    const same = draft({ recipients: [{ email: 'noah@example.com' }] });
    const both = await Promise.all([1, 2, 3].map(() => client.send('POST', path(), same)));
    expect(both.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(await listOf(`workspaces/${client.workspaceId}/contacts`)).toHaveLength(2);
  });

  test('an erased contact is no recipient any more, and nothing of it is left', async () => {
    const { id } = await create({ recipients: [{ email: 'mia@example.com', first_name: 'Miaow' }] });
    const [recipient] = await recipientsOf(id);
    const contactId = Number(recipient?.['contact_id']);
    await done('DELETE', `contacts/${contactId}/gdpr_destroy`);
    expect(await recipientsOf(id)).toEqual([]);
    await blankAll(app);
    const found = async (table: string) =>
      (
        await app.store.pool.query(
          `select from ${table} t where t.workspace_id = $1 and t::text ~* 'mia@example|miaow'`,
          [client.workspaceId],
        )
      ).rowCount;
    for (const table of [
      'contacts',
      'email_broadcast_recipients',
      'email_broadcasts',
      'audit_entries',
      'events',
    ])
      expect([table, await found(table)]).toEqual([table, 0]);
  });

  test('over GraphQL a draft has its filter, topics and recipients', async () => {
    const topic = await createTopic('News');
    const caller = { caller: client.caller };
    const workspaceId = btoa(`Workspace:${client.workspaceId}`);
    const mutation = `mutation ($input: CreateEmailBroadcastInput!) { createEmailBroadcast(input: $input) {
      emailBroadcast { status fromEmailAddress topics { name } savedFilter { name }
        recipients { nodes { emailAddress firstName contact { emailAddress } } } } userErrors { code path } } }`;
    const input = {
      ...{ workspaceId, name: 'News', fromEmailAddress: 'shop@example.com' },
      topicIds: [btoa(`EmailTopic:${topic.id}`)],
      recipients: [{ emailAddress: 'mia@example.com', firstName: 'Mia' }],
    };
    const { data } = await post(gateway, { query: mutation, variables: { input } }, caller);
    expect({ data }).toEqual({
      data: {
        createEmailBroadcast: {
          emailBroadcast: {
            ...{
              status: 'DRAFT',
              fromEmailAddress: 'shop@example.com',
              topics: [{ name: 'News' }],
              savedFilter: null,
            },
            recipients: {
              nodes: [
                {
                  emailAddress: 'mia@example.com',
                  firstName: 'Mia',
                  contact: { emailAddress: 'mia@example.com' },
                },
              ],
            },
          },
          userErrors: [],
        },
      },
    });
  });
});
