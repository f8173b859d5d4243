// Contacts are created, changed, upserted and deleted over GraphQL: each change once, with its audit entry and events.
import { beforeEach, describe, expect, test } from 'vitest';
import { graphql } from '../../generated/gql.ts';
import type { CreateContactInput, UpdateContactInput } from '../../generated/graphql.ts';
import * as factories from '../../support/factories.ts';
import { anonymous, type Caller, sharedGateway } from '../../support/gateway.ts';
import { ask, dataOf, post } from '../../support/graphql.ts';
import { statementsOf } from '../../support/graphql-statements.ts';

const CREATE = graphql(`
  mutation CreateContact($input: CreateContactInput!) {
    createContact(input: $input) {
      clientMutationId
      contact {
        id
        databaseId
        emailAddress
        firstName
        anonymous
        tags {
          name
        }
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
        tags {
          name
        }
        customAttributes {
          name
          value
        }
      }
    }
  }
`);
const UPSERT = graphql(`
  mutation UpsertContact($input: UpsertContactInput!) {
    upsertContact(input: $input) {
      isNew
      contact {
        id
        emailAddress
        firstName
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

const ERASE = graphql(`
  mutation EraseContact($input: EraseContactInput!) {
    eraseContact(input: $input) {
      contact {
        id
        databaseId
        firstName
        anonymous
      }
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
  if (createContact == null) throw new Error('no contact');
  return createContact.contact;
}

async function update(contactId: string, input: Omit<UpdateContactInput, 'contactId'>) {
  const { updateContact } = await dataOf(gateway, UPDATE, { input: { contactId, ...input } }, { caller });
  return updateContact?.contact;
}

/** What was recorded of the workspace's changes. */
async function recorded() {
  const { prisma } = gateway.app.store;
  const where = { workspaceId: workspace.id };
  const audit = await prisma.auditEntry.findMany({ where, orderBy: { id: 'asc' } });
  const events = await prisma.event.findMany({ where, orderBy: { id: 'asc' } });
  return {
    actions: audit.map(({ action }) => action),
    events: events.map(({ eventType }) => eventType).sort(),
  };
}

const contactsIn = () => gateway.app.store.prisma.contact.count({ where: { workspaceId: workspace.id } });

describe('a contact', () => {
  test('is created with all that is given, in one statement', async () => {
    const tag = await factories.tag(gateway.app, workspace.id, 'vip');
    const input = {
      workspaceId,
      emailAddress: ' Ann@Example.com',
      firstName: 'Ann',
      tagIds: [globalId('Tag', tag)],
      customAttributes: [{ name: 'size', value: 'L' }, { name: 'note', value: null }, { name: 'other' }],
      clientMutationId: 'mine',
    };
    const names = await statementsOf(gateway, async () => {
      const { createContact } = await dataOf(gateway, CREATE, { input }, { caller });
      expect(createContact).toMatchObject({
        clientMutationId: 'mine',
        contact: {
          emailAddress: 'Ann@Example.com',
          firstName: 'Ann',
          anonymous: false,
          tags: [{ name: 'vip' }],
          customAttributes: [
            { name: 'note', value: '' },
            { name: 'size', value: 'L' },
            { name: 'other', value: '' },
          ],
        },
      });
    });
    expect(names).toHaveLength(1);
    expect(await recorded()).toEqual({
      actions: ['contact.created'],
      events: ['contact.created', 'contact.identified', 'contacts/applied_tag.created'],
    });
  });

  test('needs nothing by which it is known, and is anonymous then', async () => {
    expect(await create()).toMatchObject({ emailAddress: null, anonymous: true, customAttributes: [] });
  });

  test('of which nothing is given but where it belongs is refused, and what can be given is listed', async () => {
    const input = { workspaceId, idempotencyKey: 'empty', clientMutationId: 'mine' };
    const { errors } = await ask(gateway, CREATE, { input }, { caller });
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID', field: 'input' } }]);
    expect(errors?.[0]?.message).toMatch(
      /^input has none of the members that this takes: emailAddress, firstName, .*, tagIds\.$/,
    );
    expect(await contactsIn()).toBe(0);
    const { id } = await create();
    expect(await update(id, {})).toMatchObject({ id, lastName: 'Lee' });
  });

  test('is changed: null clears, absent leaves, and attributes are merged', async () => {
    const [a, b] = [
      await factories.tag(gateway.app, workspace.id, 'a'),
      await factories.tag(gateway.app, workspace.id, 'b'),
    ];
    const { id } = await create({
      firstName: 'Ann',
      lastName: 'Lee',
      emailAddress: 'ann@example.com',
      tagIds: [globalId('Tag', a)],
      customAttributes: [{ name: 'size', value: 'L' }],
    });
    const changed = await update(id, {
      firstName: null,
      tagIds: [globalId('Tag', b)],
      customAttributes: [{ name: 'color', value: 'red' }],
    });
    expect(changed).toEqual({
      id,
      firstName: null,
      lastName: 'Lee',
      emailAddress: 'ann@example.com',
      tags: [{ name: 'b' }],
      customAttributes: [
        { name: 'size', value: 'L' },
        { name: 'color', value: 'red' },
      ],
    });
    expect(await update(id, { tagIds: null })).toMatchObject({ lastName: 'Lee', tags: [] });
    const { actions, events } = await recorded();
    expect(actions).toEqual(['contact.created', 'contact.updated', 'contact.updated']);
    expect(events.filter((type) => type === 'contact.updated')).toHaveLength(2);
  });

  test('is upserted by its e-mail address', async () => {
    const upsert = async (input: { emailAddress: string; firstName?: string | null }) =>
      (await dataOf(gateway, UPSERT, { input: { workspaceId, ...input } }, { caller })).upsertContact;
    const made = await upsert({ emailAddress: ' Bo@example.com\n', firstName: 'Bo' });
    const contact = { emailAddress: 'Bo@example.com', firstName: 'Bo' };
    expect(made).toMatchObject({ isNew: true, contact });
    const changed = await upsert({ emailAddress: ' BO@example.com', firstName: null });
    expect(changed).toMatchObject({ isNew: false, contact: { ...contact, id: made?.contact.id } });
    expect(await contactsIn()).toBe(1);
  });

  test('is erased, also after it was deleted', async () => {
    const erase = async (contactId: string) =>
      (await dataOf(gateway, ERASE, { input: { contactId } }, { caller })).eraseContact?.contact;
    const [kept, gone] = [await create({ firstName: 'Ann' }), await create({ firstName: 'Bea' })];
    await dataOf(gateway, DELETE, { input: { contactId: gone.id } }, { caller });
    for (const { id, databaseId } of [kept, gone])
      expect(await erase(id)).toEqual({ id, databaseId, firstName: null, anonymous: true });
    expect((await recorded()).actions.filter((action) => action === 'contact.erased')).toHaveLength(2);
  });

  test('is deleted, once', async () => {
    const { id } = await create();
    const input = { contactId: id };
    const { deleteContact } = await dataOf(gateway, DELETE, { input }, { caller });
    expect(deleteContact).toEqual({ deletedContactId: id });
    expect(await contactsIn()).toBe(0);
    const { data, errors } = await ask(gateway, DELETE, { input }, { caller });
    expect([data, errors?.[0]?.extensions.code]).toEqual([{ deleteContact: null }, 'NOT_FOUND']);
    expect((await recorded()).actions).toEqual(['contact.created', 'contact.deleted']);
  });
});

describe('a retry with the same key', () => {
  const idempotencyKey = 'first-try';

  test('changes nothing again, and answers as the first request was answered, whatever it selects', async () => {
    const contact = await create({ firstName: 'Ann', idempotencyKey });
    await update(contact.id, { firstName: 'Bea' });
    const again = await create({ firstName: 'Ann', idempotencyKey });
    expect(again).toEqual(contact);
    const query = `mutation ($input: CreateContactInput!) { createContact(input: $input) {
      contact { id firstName createdAt workspace { id } } } }`;
    const input = { workspaceId, firstName: 'Ann', idempotencyKey, clientMutationId: 'other' };
    const { data } = await post(gateway, { query, variables: { input } }, { caller });
    expect(data).toMatchObject({
      createContact: { contact: { id: contact.id, firstName: 'Ann', workspace: { id: workspaceId } } },
    });
    expect(await contactsIn()).toBe(1);
    expect((await recorded()).actions).toEqual(['contact.created', 'contact.updated']);
  });

  test('of an update, an upsert and a delete', async () => {
    const { id } = await create({ firstName: 'Ann' });
    const first = await update(id, { firstName: 'Bea', idempotencyKey });
    await update(id, { firstName: 'Cleo' });
    expect(await update(id, { firstName: 'Bea', idempotencyKey })).toEqual(first);
    const upsert = { workspaceId, emailAddress: 'x@example.com', idempotencyKey: 'upsert' };
    for (const clientMutationId of ['1', '2']) {
      const input = { ...upsert, clientMutationId };
      const { upsertContact } = await dataOf(gateway, UPSERT, { input }, { caller });
      expect(upsertContact?.isNew).toBe(true);
    }
    for (const _ of ['first', 'retry']) {
      const input = { contactId: id, idempotencyKey: 'delete' };
      const { deleteContact } = await dataOf(gateway, DELETE, { input }, { caller });
      expect(deleteContact).toEqual({ deletedContactId: id });
    }
    const { actions } = await recorded();
    expect(actions.filter((action) => action === 'contact.deleted')).toHaveLength(1);
  });

  test('but with another input, or of another mutation, is INVALID', async () => {
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

  test('in parallel makes one contact', async () => {
    const all = await Promise.all(
      Array.from({ length: 8 }, () => create({ firstName: 'Ann', idempotencyKey })),
    );
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(await contactsIn()).toBe(1);
  });
});

describe('refused', () => {
  test('are all fields that are wrong, by their GraphQL names', async () => {
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
      errors: [
        { field: 'emailAddress' },
        { field: 'firstName' },
        { field: 'tagIds', message: 'tagIds must be null or a list in which each item is the id of a Tag.' },
      ],
    });
  });

  test('are ids, keys and names that cannot be, before anything else', async () => {
    const input = {
      workspaceId: btoa('Team:1'),
      idempotencyKey: 'a b',
      customAttributes: [{ name: 'a' }, { name: 'a', value: 'x' }],
    };
    const { errors } = await ask(gateway, CREATE, { input }, { caller });
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'INVALID',
      errors: [{ field: 'workspaceId' }, { field: 'customAttributes' }, { field: 'idempotencyKey' }],
    });
  });

  test('are an e-mail address that is taken, and a tag of another workspace', async () => {
    await create({ emailAddress: 'a@example.com' });
    const other = await factories.workspace(gateway.app, { teamId: workspace.teamId });
    const tag = await factories.tag(gateway.app, other.id, 'theirs');
    const inputs: Record<string, CreateContactInput> = {
      emailAddress: { workspaceId, emailAddress: 'A@example.com ' },
      tagIds: { workspaceId, tagIds: [globalId('Tag', tag)] },
    };
    for (const [field, input] of Object.entries(inputs)) {
      const { errors } = await ask(gateway, CREATE, { input }, { caller });
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID', field });
    }
    expect(await contactsIn()).toBe(1);
  });

  test("are another team's workspace and contact, and those that never were", async () => {
    const theirs = await factories.contact(gateway.app);
    for (const contact of [theirs, { id: 999_999n, workspaceId: 999_999n }]) {
      const contactId = globalId('Contact', contact);
      const answers = [
        await ask(
          gateway,
          CREATE,
          { input: { workspaceId: btoa(`Workspace:${contact.workspaceId}`), firstName: 'x' } },
          { caller },
        ),
        await ask(gateway, UPDATE, { input: { contactId, firstName: 'x' } }, { caller }),
        await ask(gateway, DELETE, { input: { contactId } }, { caller }),
      ];
      expect(answers.map(({ errors }) => errors?.[0]?.extensions.code)).toEqual(
        answers.map(() => 'NOT_FOUND'),
      );
    }
    expect(await gateway.app.store.prisma.contact.findFirst({ where: { id: theirs.id } })).toEqual(theirs);
  });

  test('is a caller without contacts:write, and one without a credential', async () => {
    const reader = await factories.apiKey(gateway.app, { teamId: workspace.teamId, scopes: ['read'] });
    const { data, errors } = await ask(gateway, CREATE, { input: { workspaceId } }, { caller: reader });
    expect(data).toEqual({ createContact: null });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INSUFFICIENT_SCOPE', scope: 'contacts:write' });
    const { response } = await ask(gateway, CREATE, { input: { workspaceId } }, { caller: anonymous });
    expect(response.status).toBe(401);
    expect(response.headers.get('WWW-Authenticate')).toContain('scope="contacts:write"');
    expect(await contactsIn()).toBe(0);
  });
});

test('who may write but not read is shown the contact that was made, and nothing else', async () => {
  const writer = await factories.apiKey(gateway.app, {
    teamId: workspace.teamId,
    scopes: ['contacts:write'],
  });
  expect(await create({ firstName: 'Ann' }, writer)).toMatchObject({ firstName: 'Ann' });
  const query = `mutation { createContact(input: { workspaceId: "${workspaceId}", lastName: "Lee" }) { contact {
    firstName workspace { id } appliedTags { nodes { id } } } } }`;
  const { data, errors } = await post(gateway, { query }, { caller: writer });
  expect(data).toEqual({
    createContact: { contact: { firstName: null, workspace: null, appliedTags: null } },
  });
  expect(errors?.map(({ extensions }) => extensions.scope).sort()).toEqual(['account:read', 'contacts:read']);
});
