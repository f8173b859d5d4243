// The life of a contact by clients that others have written, in a folder where they are installed: the REST face by those that are
// made from openapi.json, GraphQL by those of front ends. Prints a line for each client.
import { deepEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { argv, stdout } from 'node:process';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client/core';
import { fetchExchange, Client as UrqlClient } from '@urql/core';
import { GraphQLClient } from 'graphql-request';
import { OpenAPIClientAxios } from 'openapi-client-axios';
import createFetchClient from 'openapi-fetch';

const [, , origin, key, workspaceId, openapiPath] = argv;
const headers = { Authorization: `Bearer ${key}`, 'User-Agent': 'Integration/1.0 (ops@example.com)' };
const workspace = { workspace_id: workspaceId };

async function openapiFetch() {
  const client = createFetchClient({ baseUrl: origin, headers });
  const list = '/api/v2/workspaces/{workspace_id}/contacts';
  const made = await client.POST(list, {
    params: { path: workspace },
    body: { contact: { email_address: 'Fetch@example.com', custom_attributes: { 'Shoe size': 42 } } },
  });
  const { id } = made.data;
  const found = await client.GET(list, {
    params: { path: workspace, query: { filter: { email_address: 'fetch@example.com ' } } },
  });
  const tag = await client.POST(`${list}/tags`, {
    params: { path: workspace },
    body: { contacts_tag: { name: 'of openapi-fetch' } },
  });
  const applied = await client.POST('/api/v2/contacts/{contact_id}/applied_tags', {
    params: { path: { contact_id: id } },
    body: { contacts_applied_tag: { tag_id: String(tag.data.id) } },
  });
  const removed = await client.DELETE('/api/v2/contacts/{contact_id}/applied_tags/{tag_id}', {
    params: { path: { contact_id: id, tag_id: tag.data.id } },
  });
  const changed = await client.PUT('/api/v2/contacts/{id}', {
    params: { path: { id } },
    body: { contact: { tag_ids: [tag.data.id] } },
  });
  const deleted = await client.DELETE('/api/v2/contacts/{id}', { params: { path: { id } } });
  const refused = await client.POST(list, {
    params: { path: workspace },
    body: { contact: { email_address: 5 } },
  });
  const answers = [made, found, tag, applied, removed, changed, deleted, refused];
  deepEqual(
    answers.map(({ response }) => response.status),
    [201, 200, 201, 201, 204, 200, 204, 422],
  );
  deepEqual([found.data.map((one) => one.id), made.data.custom_attributes], [[id], { shoe_size: '42' }]);
  deepEqual(
    [changed.data.tags.map(({ name }) => name), typeof refused.error.error],
    [['of openapi-fetch'], 'string'],
  );
}

async function openapiAxios() {
  const definition = JSON.parse(readFileSync(openapiPath, 'utf8'));
  const api = new OpenAPIClientAxios({ definition, axiosConfigDefaults: { headers } });
  const client = await api.init();
  client.defaults.baseURL = origin;
  const made = await client.createContact(workspace, { contact: { email_address: 'Axios@example.com' } });
  const { id } = made.data;
  const found = await client.listContacts({ ...workspace, 'filter[email_address]': 'axios@example.com' });
  const tag = await client.createTag(workspace, { contacts_tag: { name: 'of axios', color: '#ff0000' } });
  const applied = await client.createContactAppliedTag(
    { contact_id: id },
    { contacts_applied_tag: { tag_id: tag.data.id } },
  );
  const removed = await client.removeTagFromContact({ contact_id: id, tag_id: tag.data.id });
  const upserted = await client.upsertContact(workspace, {
    contact: { email_address: ' AXIOS@example.com', tag_ids: [String(tag.data.id)] },
  });
  const deleted = await client.deleteContact({ id: made.data.public_id });
  const gone = await client.getContact({ id }).catch(({ response }) => response);
  deepEqual(
    [made, found, tag, applied, removed, upserted, deleted, gone].map(({ status }) => status),
    [201, 200, 201, 201, 204, 200, 204, 404],
  );
  deepEqual([found.data.map((one) => one.id), upserted.data.tags.length], [[id], 1]);
}

const CONTACT =
  'contact { id databaseId emailAddress customAttributes { name value } tags { nodes { name } } }';
const CREATE = `mutation Create($input: CreateContactInput!) { createContact(input: $input) { ${CONTACT} } }`;
const TAG =
  'mutation Tag($input: CreateContactTagInput!) { createContactTag(input: $input) { contactTag { id name } } }';
const APPLY = 'mutation Apply($input: AddTagsInput!) { addTags(input: $input) { taggables { id } } }';
const DELETE =
  'mutation Delete($input: DeleteContactInput!) { deleteContact(input: $input) { deletedContactId } }';
const FIND = `query Find($id: BigInt!, $address: [String!]) { workspace(by: { databaseId: $id }) {
  contacts(first: 5, filter: { emailAddress: $address }) { edges { node { id tags { nodes { name } } } } } } }`;

/** @param run sends a document with its variables; the data, or an error is thrown */
async function graphqlLife(name, run) {
  const global = btoa(`Workspace:${workspaceId}`);
  const input = { workspaceId: global, emailAddress: `${name}@Example.com`, idempotencyKey: name };
  const { contact } = (await run(CREATE, { input })).createContact;
  deepEqual((await run(CREATE, { input })).createContact.contact, contact);
  const { contactTag: tag } = (await run(TAG, { input: { workspaceId: global, name } })).createContactTag;
  await run(APPLY, { input: { taggableIds: [contact.id], tagIds: [tag.id] } });
  const { edges } = (await run(FIND, { id: Number(workspaceId), address: [`${name}@example.com`] })).workspace
    .contacts;
  deepEqual(
    edges.map(({ node }) => [node.id, node.tags.nodes.map((one) => one.name)]),
    [[contact.id, [name]]],
  );
  const { deletedContactId } = (await run(DELETE, { input: { contactId: contact.id } })).deleteContact;
  deepEqual(deletedContactId, contact.id);
}

const url = `${origin}/graphql`;

function graphqlRequest() {
  const client = new GraphQLClient(url, { headers });
  return graphqlLife('graphql-request', (document, variables) => client.request(document, variables));
}

function urql() {
  const client = new UrqlClient({ url, exchanges: [fetchExchange], fetchOptions: { headers } });
  return graphqlLife('urql', async (document, variables) => {
    const send = document.startsWith('query') ? client.query : client.mutation;
    const { data, error } = await send(document, variables, { requestPolicy: 'network-only' }).toPromise();
    if (error) throw error;
    return data;
  });
}

function apollo() {
  const cache = new InMemoryCache({ addTypename: false });
  const client = new ApolloClient({ link: new HttpLink({ uri: url, headers }), cache });
  return graphqlLife('apollo', async (document, variables) => {
    const { data } = document.startsWith('query')
      ? await client.query({ query: gql(document), variables })
      : await client.mutate({ mutation: gql(document), variables });
    return data;
  });
}

const lives = {
  'openapi-fetch': openapiFetch,
  'openapi-client-axios': openapiAxios,
  'graphql-request': graphqlRequest,
  urql,
  'Apollo Client': apollo,
};
for (const [name, live] of Object.entries(lives)) {
  const problem = await live().then(
    () => null,
    (error) => error,
  );
  stdout.write(`${name}\t${problem === null ? 'ok' : String(problem).replaceAll(/\s+/g, ' ')}\n`);
}
