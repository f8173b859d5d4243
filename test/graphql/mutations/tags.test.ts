// Tags of a workspace over GraphQL: created, changed, deleted; applied to contacts and removed from them.
import { beforeEach, describe, expect, test } from 'vitest';
import { MAX_TAGS } from '../../../src/resources/tags.ts';
import { graphql } from '../../generated/gql.ts';
import * as factories from '../../support/factories.ts';
import { type Caller, createGateway, ownGateway } from '../../support/gateway.ts';
import { ask, dataOf, post } from '../../support/graphql.ts';
import { statementsOf } from '../../support/graphql-statements.ts';
import { prismaOf } from '../../support/prisma.ts';
import { firstUserError, sendMutation } from '../../support/user-errors.ts';

const CREATE = graphql(`
  mutation CreateTag($input: CreateContactTagInput!) {
    createContactTag(input: $input) {
      contactTag {
        id
        name
        color
        workspace {
          id
        }
      }
    }
  }
`);
const UPDATE = graphql(`
  mutation UpdateTag($input: UpdateContactTagInput!) {
    updateContactTag(input: $input) {
      contactTag {
        id
        name
        color
      }
    }
  }
`);
const DELETE = graphql(`
  mutation DeleteTag($input: DeleteContactTagInput!) {
    deleteContactTag(input: $input) {
      deletedContactTagId
    }
  }
`);
const ADD = graphql(`
  mutation AddTags($input: AddTagsInput!) {
    addTags(input: $input) {
      userErrors {
        code
        path
        message
      }
      taggables {
        id
        tags {
          totalCount
          nodes {
            name
          }
        }
      }
    }
  }
`);
const REMOVE = graphql(`
  mutation RemoveTags($input: RemoveTagsInput!) {
    removeTags(input: $input) {
      taggables {
        tags {
          nodes {
            name
          }
        }
      }
    }
  }
`);
const TAGS_OF = graphql(`
  query TagsOf($ids: [ID!]!) {
    nodes(ids: $ids) {
      ... on Workspace {
        contactTags {
          totalCount
          nodes {
            name
          }
        }
      }
      ... on Contact {
        tags {
          totalCount
          nodes {
            name
          }
        }
      }
    }
  }
`);

let caller: Caller;
let workspace: { id: bigint; teamId: bigint };
let contact: { id: bigint; rowVersion: number };
let workspaceId: string;
let contactId: string;

const gateway = await ownGateway();
beforeEach(async () => {
  workspace = await factories.workspace(gateway.app);
  contact = await factories.contact(gateway.app, { workspaceId: workspace.id });
  workspaceId = globalId('Workspace', workspace);
  contactId = globalId('Contact', contact);
  caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });
});

const globalId = (type: string, { id }: { id: bigint }) => btoa(`${type}:${id}`);

async function create(name: string, more: { color?: string; idempotencyKey?: string } = {}) {
  const { createContactTag } = await dataOf(
    gateway,
    CREATE,
    { input: { workspaceId, name, ...more } },
    { caller },
  );
  if (createContactTag?.contactTag == null) throw new Error('no tag');
  return createContactTag.contactTag;
}

async function apply(tagId: string, idempotencyKey: string | null = null) {
  const input = { taggableIds: [contactId], tagIds: [tagId], idempotencyKey };
  return (await dataOf(gateway, ADD, { input }, { caller })).addTags?.taggables;
}

const refusalOf = ({ errors }: Awaited<ReturnType<typeof post>>) => errors?.[0]?.extensions;
const appliedCount = () => prismaOf(gateway.app.store).contactTag.count({ where: { contactId: contact.id } });

async function recorded() {
  const prisma = prismaOf(gateway.app.store);
  const where = { workspaceId: workspace.id };
  const audit = await prisma.auditEntry.findMany({ where, orderBy: { id: 'asc' } });
  const events = await prisma.event.findMany({ where, orderBy: { id: 'asc' } });
  return { actions: audit.map(({ action }) => action), events: events.map(({ eventType }) => eventType) };
}

describe('a tag', () => {
  test('is created, changed and deleted, each once and without an event', async () => {
    const tag = await create('vip', { idempotencyKey: 'one' });
    expect(tag).toMatchObject({ name: 'vip', color: '#888888', workspace: { id: workspaceId } });
    expect(await create('vip', { idempotencyKey: 'one' })).toEqual(tag);
    const input = { contactTagId: tag.id, color: '#1e90ff' };
    const { updateContactTag } = await dataOf(gateway, UPDATE, { input }, { caller });
    expect(updateContactTag?.contactTag).toEqual({ id: tag.id, name: 'vip', color: '#1e90ff' });
    await apply(tag.id);
    const { deleteContactTag } = await dataOf(
      gateway,
      DELETE,
      { input: { contactTagId: tag.id } },
      { caller },
    );
    expect(deleteContactTag).toEqual({ deletedContactTagId: tag.id });
    expect(await appliedCount()).toBe(0);
    const { actions, events } = await recorded();
    expect(actions.filter((action) => action.startsWith('contacts/tag.'))).toEqual([
      'contacts/tag.created',
      'contacts/tag.updated',
      'contacts/tag.deleted',
    ]);
    expect(events).toEqual(['contacts/applied_tag.created']);
  });

  test('has a unique name in the workspace, and a colour', async () => {
    const { id: contactTagId } = await create('vip');
    await create('other');
    const refuse = (input: object) =>
      sendMutation(gateway, 'updateContactTag', { contactTagId, ...input }, { caller });
    expect(firstUserError(await refuse({ name: 'other' }))).toMatchObject({ code: 'TAKEN', path: ['name'] });
    const wrong = await refuse({ name: ' ', color: 'red' });
    expect(wrong.data?.['updateContactTag']?.userErrors).toMatchObject([
      { code: 'REQUIRED', path: ['name'] },
      { code: 'INVALID_FORMAT', path: ['color'] },
    ]);
    // A tag always has a color: null leaves it.
    const { updateContactTag } = await dataOf(
      gateway,
      UPDATE,
      { input: { contactTagId, color: null } },
      { caller },
    );
    expect(updateContactTag?.contactTag?.color).toBe('#888888');
    const reader = await factories.apiKey(gateway.app, {
      teamId: workspace.teamId,
      scopes: ['contacts:read'],
    });
    const refused = await ask(gateway, DELETE, { input: { contactTagId } }, { caller: reader });
    expect(refusalOf(refused)).toMatchObject({ code: 'INSUFFICIENT_SCOPE', scope: 'contacts:write' });
  });
});

describe('applying and removing', () => {
  test('changes the contact, and is recorded once however often it is retried', async () => {
    const tag = await create('vip');
    const applied = await apply(tag.id, 'apply');
    expect(applied).toEqual([{ id: contactId, tags: { totalCount: 1, nodes: [{ name: 'vip' }] } }]);
    expect(await apply(tag.id, 'apply')).toEqual(applied);
    for (const _ of ['first', 'retry']) {
      const input = { taggableIds: [contactId], tagIds: [tag.id], idempotencyKey: 'remove' };
      const { removeTags } = await dataOf(gateway, REMOVE, { input }, { caller });
      expect(removeTags).toEqual({ taggables: [{ tags: { nodes: [] } }] });
    }
    const { rowVersion } = await prismaOf(gateway.app.store).contact.findFirstOrThrow({
      where: { id: contact.id },
    });
    expect(rowVersion).toBe(contact.rowVersion + 2);
    expect(await recorded()).toEqual({
      actions: ['contacts/tag.created', 'contacts/applied_tag.created', 'contacts/applied_tag.deleted'],
      events: ['contacts/applied_tag.created', 'contacts/applied_tag.deleted'],
    });
  });

  test('a tag of another workspace is NOT_FOUND, and an id of another kind INVALID', async () => {
    await apply((await create('vip')).id);
    const other = await factories.workspace(gateway.app, { teamId: workspace.teamId });
    const theirs = globalId('ContactTag', await factories.tag(gateway.app, other.id, 'theirs'));
    const addOne = (tagId: string) =>
      ask(gateway, ADD, { input: { taggableIds: [contactId], tagIds: [tagId] } }, { caller });
    expect(firstUserError(await addOne(theirs))).toMatchObject({ code: 'NOT_FOUND', path: ['tagIds', '0'] });
    // Of another kind: the program's mistake.
    expect(refusalOf(await addOne(contactId))).toMatchObject({ code: 'INVALID', field: 'tagIds[0]' });
    expect(await appliedCount()).toBe(1);
  });

  test('a contact never has more tags than its list returns, also with concurrent changes', async () => {
    const prisma = prismaOf(gateway.app.store);
    const names = Array.from({ length: MAX_TAGS + 5 }, (_, i) => ({
      workspaceId: workspace.id,
      name: `t${i}`,
    }));
    const tags = await prisma.tag.createManyAndReturn({ data: names });
    const place = { workspaceId: workspace.id, contactId: contact.id };
    await prisma.contactTag.createMany({
      data: tags.slice(0, MAX_TAGS - 2).map(({ id }) => ({ ...place, tagId: id })),
    });
    const late = tags.slice(MAX_TAGS - 2).map((tag) => globalId('ContactTag', tag));
    const answers = await Promise.all(
      late.map((tagId) =>
        ask(
          gateway,
          ADD,
          { input: { taggableIds: [contactId], tagIds: [tagId], idempotencyKey: tagId } },
          { caller },
        ),
      ),
    );
    const isMade = ({ data }: (typeof answers)[number]) => data?.addTags?.userErrors.length === 0;
    const made = answers.filter(isMade);
    expect(made).toHaveLength(2);
    for (const answer of answers.filter((one) => !made.includes(one)))
      expect(firstUserError(answer)).toMatchObject({ code: 'TOO_MANY', path: ['taggableIds', '0'] });
    expect(await appliedCount()).toBe(MAX_TAGS);
    // A retry of a successful request is answered although the limit is reached.
    const retried = await Promise.all(
      late.map((tagId) =>
        ask(
          gateway,
          ADD,
          { input: { taggableIds: [contactId], tagIds: [tagId], idempotencyKey: tagId } },
          { caller },
        ),
      ),
    );
    expect(retried.map(isMade)).toEqual(answers.map(isMade));
  });
});

test('tags of workspaces, and what is applied to contacts, are lists of one statement each', async () => {
  const other = await factories.contact(gateway.app, { workspaceId: workspace.id });
  const tag = await create('vip');
  for (const on of [contact, other]) {
    const input = { taggableIds: [globalId('Contact', on)], tagIds: [tag.id] };
    await dataOf(gateway, ADD, { input }, { caller });
  }
  const ids = [workspaceId, contactId, globalId('Contact', other)];
  const names = await statementsOf(gateway, async () => {
    const { nodes } = await dataOf(gateway, TAGS_OF, { ids }, { caller });
    const applied = { totalCount: 1, nodes: [{ name: 'vip' }] };
    expect(nodes).toEqual([
      { contactTags: { totalCount: 1, nodes: [{ name: 'vip' }] } },
      { tags: applied },
      { tags: applied },
    ]);
  });
  // Both types of objects, the first with its tags, and the list of tags with its count.
  expect(names).toHaveLength(4);
});

test('every change of an operation adds to its cost', async () => {
  const strict = await createGateway({ env: { MAX_QUERY_COST: '100' } });
  const { id, teamId } = await factories.workspace(strict.app);
  const fields = Array.from({ length: 6 }, (_, i) => `t${i}: createContactTag(input: $input) { __typename }`);
  const query = `mutation ($input: CreateContactTagInput!) { ${fields.join(' ')} }`;
  const variables = { input: { workspaceId: btoa(`Workspace:${id}`), name: 'vip' } };
  const { errors } = await post(
    strict,
    { query, variables },
    { caller: await factories.apiKey(strict.app, { teamId }) },
  );
  expect(errors?.[0]?.message).toMatch(/may read 120 rows/);
  await strict.close();
});
