// Tags are applied to many objects at once, and removed: as each alone, all or nothing.
import { describe, expect, test } from 'vitest';
import { TAG_FAMILIES } from '../../../src/resources/tag-families.ts';
import * as factories from '../../support/factories.ts';
import { type Caller, sharedGateway } from '../../support/gateway.ts';
import { post } from '../../support/graphql.ts';
import { statementsOf } from '../../support/graphql-statements.ts';
import { times } from '../../support/nightly.ts';
import { createTenant } from '../../support/operations.ts';
import { createTaggables, type Family, globalId, typeNames } from '../../support/taggables.ts';
import { refusalOf, sendMutation, USER_ERRORS } from '../../support/user-errors.ts';

const gateway = await sharedGateway();
const { pool } = gateway.app.store;
const tenant = await createTenant(gateway.app, 'tagging');
const caller = await factories.apiKey(gateway.app, { teamId: tenant.team.id });
const workspaceId = tenant.workspace.id;
await factories.webhookEndpoint(gateway.app, { workspaceId, eventTypeIds: [] });

let made = 0;
const { rest, objects, tags } = createTaggables(gateway, tenant, caller);

async function change(
  what: 'addTags' | 'removeTags',
  family: Family,
  objectIds: readonly bigint[],
  tagIds: readonly bigint[],
  more: { idempotencyKey?: string; caller?: Caller; selection?: string } = {},
) {
  const names = typeNames(family);
  const type = `${what.charAt(0).toUpperCase()}${what.slice(1)}Input`;
  const { selection = '__typename id', idempotencyKey, caller: by = caller } = more;
  return post<Record<string, { taggables: { id: string }[] }>>(
    gateway,
    {
      query: `mutation Change($input: ${type}!) { ${what}(input: $input) { taggables { ${selection} } ${USER_ERRORS} } }`,
      variables: {
        input: {
          taggableIds: objectIds.map((id) => globalId(names.object, id)),
          tagIds: tagIds.map((id) => globalId(names.tag, id)),
          ...(idempotencyKey && { idempotencyKey }),
        },
      },
    },
    { caller: by },
  );
}

async function changed(...of: Parameters<typeof change>) {
  const answer = await change(...of);
  expect(refusalOf(answer)).toBeNull();
  const { data } = answer;
  return data?.[of[0]]?.taggables.map(({ id }) => id);
}

/** The ids of an object's tags. */
async function tagsOf({ object, applied }: Family, id: bigint): Promise<bigint[]> {
  const { rows } =
    applied === null
      ? await pool.query(`select unnest(tag_ids)::text as id from ${object.table} where id = $1`, [id])
      : await pool.query(
          `select tag_id::text as id from ${applied.table} where ${object.type.toLowerCase()}_id = $1 order by id`,
          [id],
        );
  return rows.map((row) => BigInt(row.id));
}

/** Makes the same change with one request for each object, and for each tag if these are rows of their own. */
async function singly(what: 'addTags' | 'removeTags', family: Family, id: bigint, tagIds: readonly bigint[]) {
  const { object, applied } = family;
  const has = await tagsOf(family, id);
  if (applied === null) {
    const after =
      what === 'addTags'
        ? [...has, ...tagIds.filter((tagId) => !has.includes(tagId))]
        : has.filter((tagId) => !tagIds.includes(tagId));
    await rest('PUT', `/${object.path}/${id}`, { [object.wrapper]: { tag_ids: after.map(Number) } });
    return;
  }
  for (const tagId of tagIds) {
    if (what === 'addTags')
      await rest('POST', `/${object.path}/${id}/${applied.path}`, {
        [applied.wrapper]: { tag_id: Number(tagId) },
      });
    else if (has.includes(tagId)) {
      const { rows } = await pool.query(
        `select id::text from ${applied.table} where ${object.type.toLowerCase()}_id = $1 and tag_id = $2`,
        [id, tagId],
      );
      await rest('DELETE', `/${applied.members}/${rows[0].id}`);
    }
  }
}

/** What was recorded of objects from a moment on: events with deliveries, and audit entries, without ids and times. */
async function recorded(family: Family, ids: readonly bigint[], since: bigint[]) {
  const key = family.applied === null ? 'id' : `${family.object.type.toLowerCase()}_id`;
  const { rows: events } = await pool.query(
    `select event_type as type, subject_type, contact_id, data, (select count(*)::int from webhook_deliveries d
        where d.workspace_id = e.workspace_id and d.event_id = e.id) as deliveries
      from events e where workspace_id = $1 and id > $2 and (data ->> '${key}')::bigint = any($3)`,
    [workspaceId, since[0], ids],
  );
  const { rows: entries } = await pool.query(
    `select action as type, subject_type, contact_id, actor_kind, before, after from audit_entries
      where workspace_id = $1 and id > $2 and (coalesce(after, before) ->> '${key}')::bigint = any($3)`,
    [workspaceId, since[1], ids],
  );
  const place = (json: Record<string, unknown> | null | undefined) =>
    json && {
      object: ids.indexOf(BigInt(String(json[key]))),
      tag: json['tag_id'],
      tags: [json['tag_ids']].flat().sort(),
      members: Object.keys(json),
    };
  const plain = (row: Record<string, unknown>) => ({
    ...row,
    contact_id: row['contact_id'] !== null,
    ...Object.fromEntries(
      ['data', 'before', 'after'].map((name) => [name, place(row[name] as Record<string, unknown>)]),
    ),
  });
  const sorted = (list: object[]) => list.map((one) => JSON.stringify(one)).sort();
  return { events: sorted(events.map(plain)), entries: sorted(entries.map(plain)) };
}

async function now(): Promise<bigint[]> {
  const { rows } = await pool.query(
    'select (select coalesce(max(id), 0) from events)::text as e, (select coalesce(max(id), 0) from audit_entries)::text as a',
  );
  return [BigInt(rows[0].e), BigInt(rows[0].a)];
}

function dice(seed: number) {
  let state = seed;
  return (sides: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

describe.each(TAG_FAMILIES)('tags of $object.type', (family) => {
  test('after any changes, objects have the tags, and clients get the events and audit entries, of single changes', async () => {
    const [together, apart] = [await objects(family, 4), await objects(family, 4)];
    const tagIds = await tags(family, 4);
    const roll = dice(7);
    const some = <T>(list: readonly T[]) => {
      const picked = list.filter(() => roll(2) === 0);
      const one = list[roll(list.length)] as T;
      return roll(2) === 0 ? [one, ...picked].reverse() : [...picked, one, one];
    };
    for (let step = 0; step < times(20); step++) {
      const what = roll(3) === 0 ? 'removeTags' : 'addTags';
      const places = some([0, 1, 2, 3]);
      const given = some(tagIds);
      const since = await now();
      await changed(
        what,
        family,
        places.map((place) => together[place] as bigint),
        given,
      );
      for (const place of new Set(places))
        await singly(what, family, apart[place] as bigint, [...new Set(given)]);
      for (const [place, id] of together.entries())
        expect((await tagsOf(family, id)).sort()).toEqual(
          (await tagsOf(family, apart[place] as bigint)).sort(),
        );
      expect(await recorded(family, together, since)).toEqual(await recorded(family, apart, since));
      // A repetition changes nothing.
      const after = await now();
      await changed(
        what,
        family,
        places.map((place) => together[place] as bigint),
        given,
      );
      expect(await now()).toEqual(after);
    }
  });

  test('concurrent changes of the same objects in other orders all succeed', async () => {
    const ids = await objects(family, 5);
    const tagIds = await tags(family, 3);
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        changed(
          index % 3 === 2 ? 'removeTags' : 'addTags',
          family,
          index % 2 === 0 ? ids : ids.toReversed(),
          index % 4 < 2 ? tagIds : tagIds.toReversed(),
        ),
      ),
    );
    await changed('addTags', family, ids, tagIds);
    for (const id of ids) expect((await tagsOf(family, id)).sort()).toEqual([...tagIds].sort());
  });

  test('the number of statements does not depend on that of objects and tags', async () => {
    const ids = await objects(family, 6);
    const tagIds = await tags(family, 4);
    // Workers are notified in the background: soon after a change, or with the next.
    const sent = async (...of: Parameters<typeof changed>) =>
      (await statementsOf(gateway, () => changed(...of)))
        .filter((name) => name !== 'webhook_leases.notify')
        .toSorted();
    const both = async (...of: [typeof ids, typeof tagIds]) => [
      await sent('addTags', family, ...of),
      await sent('removeTags', family, ...of),
    ];
    const two = await both(ids.slice(0, 2), tagIds.slice(0, 2));
    expect(await both(ids, tagIds)).toEqual(two);
  });

  test('what one id does not allow changes nothing', async () => {
    const ids = await objects(family, 2);
    const tagIds = await tags(family, 2);
    const other = await createTenant(gateway.app, `tagging elsewhere ${family.object.type}`);
    const since = await now();
    const refused = async (...of: Parameters<typeof change>) => refusalOf(await change(...of))?.field;
    const gone = 999_999_999n;
    const foreign = other.rows[family.object.type as keyof typeof other.rows]?.id ?? expect.fail();
    expect(await refused('addTags', family, [...ids, gone], tagIds)).toEqual('taggableIds[2]');
    expect(await refused('addTags', family, [...ids, foreign], tagIds)).toEqual('taggableIds[2]');
    expect(await refused('addTags', family, ids, [...tagIds, gone])).toEqual('tagIds[2]');
    expect(await refused('removeTags', family, ids, [gone])).toEqual('tagIds[0]');
    expect(await refused('addTags', family, [], tagIds)).toEqual('taggableIds');
    expect(await refused('addTags', family, ids, [])).toEqual('tagIds');
    expect(await refused('addTags', family, Array(101).fill(ids[0]), tagIds)).toEqual('taggableIds');
    expect(await refused('addTags', family, ids, Array(21).fill(tagIds[0]))).toEqual('tagIds');
    for (const id of ids) expect(await tagsOf(family, id)).toEqual([]);
    expect((await now())[0]).toEqual(since[0]);
    // The most that is allowed, with repetitions.
    await changed('addTags', family, Array(100).fill(ids[0]), Array(20).fill(tagIds[0]));
    expect(await tagsOf(family, ids[0] as bigint)).toEqual([tagIds[0]]);
  });

  test('the most tags that an object can have are kept', async () => {
    const [id = 0n, other = 0n] = await objects(family, 2);
    const { object, tag, applied, most } = family;
    const { rows } = await pool.query(
      `insert into ${tag.table} (workspace_id, name) select $1, 'Many ' || $2 || ' ' || i from generate_series(1, $3::int) i returning id::text`,
      [workspaceId, ++made, most + 1],
    );
    const all: bigint[] = rows.map((row) => BigInt(row.id));
    const had = all.slice(0, most - 1);
    if (applied === null)
      await pool.query(`update ${object.table} set tag_ids = $2::bigint[] where id = $1`, [id, had]);
    else
      await pool.query(
        `insert into ${applied.table} (workspace_id, ${object.type.toLowerCase()}_id, tag_id) select $1, $2, unnest($3::bigint[])`,
        [workspaceId, id, had],
      );
    const last = all.slice(-3);
    expect(refusalOf(await change('addTags', family, [other, id], last))).toMatchObject({
      code: 'TOO_MANY',
      message: expect.stringMatching(/can have at most \d+ tags/),
      field: 'taggableIds[1]',
    });
    expect(await tagsOf(family, other)).toEqual([]);
    await changed('addTags', family, [other, id], last.slice(0, 2));
    expect((await tagsOf(family, id)).length).toBe(most);
  });

  test('needs the scope to change the objects, and the one to read them for more than their ids', async () => {
    const [id = 0n] = await objects(family, 1);
    const [tagId = 0n] = await tags(family, 1);
    const key = (scope: string) =>
      factories.apiKey(gateway.app, { teamId: tenant.team.id, scopes: [`${family.object.scope}:${scope}`] });
    const [reader, writer] = [await key('read'), await key('write')];
    const codes = async (...of: Parameters<typeof change>) =>
      (await change(...of)).errors?.map(({ extensions }) => extensions.code);
    expect(await codes('addTags', family, [id], [tagId], { caller: reader })).toEqual(['INSUFFICIENT_SCOPE']);
    const more = { caller: writer, selection: `id ... on ${family.object.type} { createdAt }` };
    expect(await codes('addTags', family, [id], [tagId], more)).toEqual(['INSUFFICIENT_SCOPE']);
    expect(await tagsOf(family, id)).toEqual([]);
    const ids = `id ... on ${family.object.type} { databaseId publicId }`;
    expect((await change('addTags', family, [id], [tagId], { caller: writer, selection: ids })).data).toEqual(
      {
        addTags: {
          taggables: [
            expect.objectContaining({
              id: globalId(typeNames(family).object, id),
              databaseId: expect.anything(),
            }),
          ],
          userErrors: [],
        },
      },
    );
    expect(await tagsOf(family, id)).toEqual([tagId]);
  });

  test('a retry with the same key gets the same answer, and another request with the key is refused', async () => {
    const ids = await objects(family, 2);
    const tagIds = await tags(family, 2);
    const options = { idempotencyKey: `tags-${++made}` };
    const first = await changed('addTags', family, ids, tagIds, options);
    expect(first).toEqual(ids.map((id) => globalId(typeNames(family).object, id)));
    await changed('removeTags', family, ids, tagIds);
    expect(await changed('addTags', family, ids, tagIds, options)).toEqual(first);
    expect(await tagsOf(family, ids[0] as bigint)).toEqual([]);
    expect((await change('addTags', family, ids, tagIds.slice(1), options)).errors).toHaveLength(1);
  });
});

test('objects and tags of two kinds are refused', async () => {
  const [contacts, orders] = TAG_FAMILIES;
  const [[contactId = 0n], [orderId = 0n]] = [await objects(contacts, 1), await objects(orders, 1)];
  const [[contactTag = 0n], [orderTag = 0n]] = [await tags(contacts, 1), await tags(orders, 1)];
  const names = typeNames(contacts);
  const send = async (taggableIds: string[], tagIds: string[]) => {
    const { data, errors } = await sendMutation(gateway, 'addTags', { taggableIds, tagIds }, { caller });
    return (
      data?.['addTags']?.userErrors ?? errors?.map(({ extensions }) => Reflect.get(extensions, 'errors'))
    );
  };
  const [contact, order] = [globalId('Contact', contactId), globalId('Order', orderId)];
  const [tag, other] = [globalId(names.tag, contactTag), globalId('OrderTag', orderTag)];
  expect(await send([contact, order], [tag])).toEqual([
    { code: 'WRONG_KIND', path: ['taggableIds', '1'], message: 'must be the id of a Contact' },
  ]);
  expect(await send([contact], [tag, other])).toEqual([
    { code: 'WRONG_KIND', path: ['tagIds', '1'], message: `must be the id of a ${names.tag}` },
  ]);
  const invalidId = (field: string) => [[expect.objectContaining({ field, code: 'INVALID_ID' })]];
  expect(await send([tag], [tag])).toEqual(invalidId('taggableIds[0]'));
  expect(await send([contact, tag], [tag])).toEqual(invalidId('taggableIds[1]'));
  expect(await send([contact], [contact])).toEqual(invalidId('tagIds[0]'));
  expect(await send([String(contactId)], [tag])).toEqual(invalidId('taggableIds'));
});
