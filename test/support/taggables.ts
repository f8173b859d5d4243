// Objects and tags of each kind, in a tenant.
import { graphqlTypeNameOf } from '../../src/resources/description/names.ts';
import { NOUNS } from '../../src/resources/nouns.ts';
import type { TAG_FAMILIES } from '../../src/resources/tag-families.ts';
import * as factories from './factories.ts';
import type { Caller, Gateway } from './gateway.ts';
import type { Tenant } from './operations.ts';

export type Family = (typeof TAG_FAMILIES)[number];

/** The names of the GraphQL types of a family. */
export const typeNames = (family: Family) => ({
  object: graphqlTypeNameOf(family.object),
  tag: graphqlTypeNameOf(family.tag),
});

export const globalId = (type: string, id: bigint) => btoa(`${type}:${id}`);

const noun = (type: string) => NOUNS.find((one) => one.type === type) ?? fail(type);

function fail(type: string): never {
  throw new Error(`There is no ${type}`);
}

/** What makes new objects and tags of a family in the tenant's workspace, and sends requests of REST. */
export function createTaggables({ app, send }: Gateway, tenant: Tenant, caller: Caller) {
  const workspaceId = tenant.workspace.id;
  let made = 0;

  async function rest(method: string, path: string, body?: object) {
    const response = await send(`/api/v2${path}`, {
      ...{ caller, method, headers: { 'Content-Type': 'application/json' } },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  /** New objects without tags. */
  async function objects({ object }: Family, count: number): Promise<bigint[]> {
    const ids: bigint[] = [];
    for (let i = 0; i < count; i++) {
      const idOf = (type: string) => tenant.rows[type as keyof typeof tenant.rows]?.id;
      const { id } =
        object.type === 'Funnel'
          ? await factories.funnel(app, { workspaceId })
          : await factories.any(app, noun(object.type), idOf, `tagging ${++made}`);
      if ('tagIds' in object.fields && object.type !== 'Order')
        await app.store.pool.query(`update ${object.table} set tag_ids = '{}' where id = $1`, [id]);
      ids.push(id);
    }
    return ids;
  }

  /** New tags. */
  async function tags({ tag }: Family, count: number): Promise<bigint[]> {
    const ids: bigint[] = [];
    for (let i = 0; i < count; i++) {
      const { id } = await rest('POST', `/workspaces/${workspaceId}/${tag.path}`, {
        [tag.wrapper]: { name: `Tag ${++made}` },
      });
      ids.push(BigInt(id));
    }
    return ids;
  }

  return { rest, objects, tags };
}
