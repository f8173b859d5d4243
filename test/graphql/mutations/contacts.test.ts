// Contacts are created, changed, upserted and deleted over GraphQL: each change once, with its audit entry and events.
import { beforeEach, describe, expect, test } from 'vitest';
import { graphql } from '../../generated/gql.ts';
import type { CreateContactInput, UpdateContactInput } from '../../generated/graphql.ts';
import * as factories from '../../support/factories.ts';
import { type Caller, sharedGateway } from '../../support/gateway.ts';
import { ask, dataOf, post } from '../../support/graphql.ts';
import { statementsOf } from '../../support/graphql-statements.ts';
import { prismaOf } from '../../support/prisma.ts';
import { firstUserError, sendMutation } from '../../support/user-errors.ts';

const CREATE = graphql(`
  mutation CreateContact($input: CreateContactInput!) {
    createContact(input: $input) {
      contact {
        id
        databaseId
        emailAddress
        firstName
        anonymous: isAnonymous
        tags { nodes {
          name
        } }
        customAttributes {
          name
          value
        }
      }
    }
  }
`);
const UPDATE = graphql(`
  mutation UpdateContact($input: UpdateContactInput!) {
    updateContact(input: $input) {
      contact {
        id
        emailAddress
        firstName
        lastName
        tags { nodes {
          name
        } }
        customAttributes {
          name
          value
        }
      }
    }
  }
`);
const DELETE = graphql(`
  mutation DeleteContact($input: DeleteContactInput!) {
    deleteContact(input: $input) {
      deletedContactId
    }
  }
`);

let caller: Caller;
let workspace: { id: bigint; teamId: bigint };
let workspaceId: string;

const gateway = await sharedGateway();
beforeEach(async () => {
  workspace = await factories.workspace(gateway.app);
  workspaceId = globalId('Workspace', workspace);
  caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });
});

const globalId = (type: string, { id }: { id: bigint }) => btoa(`${type}:${id}`);

async function create(input: Omit<CreateContactInput, 'workspaceId'> = { lastName: 'Lee' }, by = caller) {
  const variables = { input: { workspaceId, ...input } };
  const { createContact } = await dataOf(gateway, CREATE, variables, { caller: by });
  if (createContact?.contact == null) throw new Error('no contact');
  return createContact.contact;
}

async function update(contactId: string, input: Omit<UpdateContactInput, 'contactId'>) {
  const { updateContact } = await dataOf(gateway, UPDATE, { input: { contactId, ...input } }, { caller });
  return updateContact?.contact;
}

/** The records of the workspace's changes. */
async function recorded() {
  const prisma = prismaOf(gateway.app.store);
  const where = { workspaceId: workspace.id };
  const audit = await prisma.auditEntry.findMany({ where, orderBy: { id: 'asc' } });
  const events = await prisma.event.findMany({ where, orderBy: { id: 'asc' } });
  return {
    actions: audit.map(({ action }) => action),
    events: events.map(({ eventType }) => eventType).sort(),
  };
}

const contactsIn = () => prismaOf(gateway.app.store).contact.count({ where: { workspaceId: workspace.id } });

describe('a contact', () => {
  test('is created with all input fields, without a read for the answer', async () => {
    const tag = await factories.tag(gateway.app, workspace.id, 'vip');
    const input = {
      workspaceId,
      emailAddress: ' Ann@Example.com',
      firstName: 'Ann',
      tagIds: [globalId('ContactTag', tag)],
      customAttributes: [{ name: 'size', value: 'L' }, { name: 'note', value: null }, { name: 'other' }],
    };
    const names = await statementsOf(gateway, async () => {
      const { createContact } = await dataOf(gateway, CREATE, { input }, { caller });
      expect(createContact).toMatchObject({
        contact: {
          emailAddress: 'Ann@Example.com',
          firstName: 'Ann',
          anonymous: false,
          tags: { nodes: [{ name: 'vip' }] },
          customAttributes: [
            { name: 'note', value: '' },
            { name: 'size', value: 'L' },
            { name: 'other', value: '' },
          ],
        },
      });
    });
    // In a distributed store the caller's workspaces are looked up before, and the row's is noted afterwards.
    expect(names.filter((name) => !['workspaces.of_team', 'unnamed'].includes(name))).toEqual([]);
    expect(await recorded()).toEqual({
      actions: ['contact.created'],
      events: ['contact.created', 'contact.identified', 'contacts/applied_tag.created'],
    });
  });

  test('without any field but its workspace is refused, and the error lists the fields', async () => {
    const input = { workspaceId, idempotencyKey: 'empty' };
    const refused = firstUserError(await sendMutation(gateway, 'createContact', input, { caller }));
    expect(refused).toMatchObject({ code: 'REQUIRED', path: null });
    expect(refused?.message).toMatch(/^Give at least one of these: emailAddress, firstName, .*, tagIds\.$/);
    expect(await contactsIn()).toBe(0);
    const { id } = await create();
    expect(await update(id, {})).toMatchObject({ id, lastName: 'Lee' });
  });

  test('is changed: null clears, an absent field stays, and attributes are merged', async () => {
    const [a, b] = [
      await factories.tag(gateway.app, workspace.id, 'a'),
      await factories.tag(gateway.app, workspace.id, 'b'),
    ];
    const { id } = await create({
      firstName: 'Ann',
      lastName: 'Lee',
      emailAddress: 'ann@example.com',
      tagIds: [globalId('ContactTag', a)],
      customAttributes: [{ name: 'size', value: 'L' }],
    });
    const changed = await update(id, {
      firstName: null,
      tagIds: [globalId('ContactTag', b)],
      customAttributes: [{ name: 'color', value: 'red' }],
    });
    expect(changed).toEqual({
      id,
      firstName: null,
      lastName: 'Lee',
      emailAddress: 'ann@example.com',
      tags: { nodes: [{ name: 'b' }] },
      customAttributes: [
        { name: 'size', value: 'L' },
        { name: 'color', value: 'red' },
      ],
    });
    expect(await update(id, { tagIds: null })).toMatchObject({ lastName: 'Lee', tags: { nodes: [] } });
    const { actions, events } = await recorded();
    expect(actions).toEqual(['contact.created', 'contact.updated', 'contact.updated']);
    expect(events.filter((type) => type === 'contact.updated')).toHaveLength(2);
  });
});

describe('a retry with the same key', () => {
  const idempotencyKey = 'first-try';

  test('changes nothing, and gets the first answer, whatever it selects', async () => {
    const contact = await create({ firstName: 'Ann', idempotencyKey });
    await update(contact.id, { firstName: 'Bea' });
    const again = await create({ firstName: 'Ann', idempotencyKey });
    expect(again).toEqual(contact);
    const query = `mutation ($input: CreateContactInput!) { createContact(input: $input) {
      contact { id firstName createdAt workspace { id } } } }`;
    const input = { workspaceId, firstName: 'Ann', idempotencyKey };
    const { data } = await post(gateway, { query, variables: { input } }, { caller });
    expect(data).toMatchObject({
      createContact: { contact: { id: contact.id, firstName: 'Ann', workspace: { id: workspaceId } } },
    });
    expect(await contactsIn()).toBe(1);
    expect((await recorded()).actions).toEqual(['contact.created', 'contact.updated']);
  });

  test('with another input, or of another mutation, is INVALID', async () => {
    const { id } = await create({ firstName: 'Ann', idempotencyKey });
    const others = [
      await ask(gateway, CREATE, { input: { workspaceId, firstName: 'Bea', idempotencyKey } }, { caller }),
      await ask(gateway, UPDATE, { input: { contactId: id, firstName: 'Ann', idempotencyKey } }, { caller }),
      await ask(gateway, DELETE, { input: { contactId: id, idempotencyKey } }, { caller }),
    ];
    for (const { errors } of others)
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID', field: 'idempotencyKey' });
    expect(await contactsIn()).toBe(1);
  });
});

describe('refused', () => {
  test('are all invalid fields, by their GraphQL names', async () => {
    const input = {
      workspaceId,
      emailAddress: 'no address',
      firstName: 'x'.repeat(2_001),
      tagIds: [btoa('Contact:1')],
    };
    const { data, errors } = await ask(gateway, CREATE, { input }, { caller });
    expect(data).toEqual({ createContact: null });
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'INVALID',
      errors: [{ field: 'emailAddress' }, { field: 'firstName' }, { field: 'tagIds' }],
    });
  });

  test('are a taken e-mail address, and a tag of another workspace', async () => {
    await create({ emailAddress: 'a@example.com' });
    const other = await factories.workspace(gateway.app, { teamId: workspace.teamId });
    const tag = await factories.tag(gateway.app, other.id, 'theirs');
    const inputs: Record<string, CreateContactInput> = {
      emailAddress: { workspaceId, emailAddress: 'A@example.com ' },
      tagIds: { workspaceId, tagIds: [globalId('ContactTag', tag)] },
    };
    for (const [field, input] of Object.entries(inputs)) {
      const refused = await sendMutation(gateway, 'createContact', input, { caller });
      expect(firstUserError(refused)?.path).toEqual([field]);
    }
    expect(await contactsIn()).toBe(1);
  });
});

test('a caller without read access gets the ids of the new contact; a change that selects more is not made', async () => {
  const writer = await factories.apiKey(gateway.app, {
    teamId: workspace.teamId,
    scopes: ['contacts:write'],
  });
  const mutation = (selection: string) =>
    `mutation { createContact(input: { workspaceId: "${workspaceId}", firstName: "Ann" }) { ${selection} } }`;
  const before = await contactsIn();
  for (const selection of [
    'contact { id firstName }',
    'contact { workspace { id } }',
    'contactEdge { node { tags { nodes { id } } } }',
    '... on CreateContactPayload { contact { ...F } } } } fragment F on Contact { lastName workspace { id',
  ]) {
    const { data, errors } = await post(gateway, { query: mutation(selection) }, { caller: writer });
    expect([selection, data]).toEqual([selection, { createContact: null }]);
    expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_SCOPE', scope: 'contacts:read' } }]);
  }
  expect(await contactsIn()).toBe(before);
  const query = mutation('contact { id databaseId publicId } contactEdge { cursor node { id } }');
  const { data, errors } = await post(gateway, { query }, { caller: writer });
  expect(errors).toBeUndefined();
  expect(data).toMatchObject({ createContact: { contact: { id: expect.any(String) } } });
  expect(await contactsIn()).toBe(before + 1);
});
