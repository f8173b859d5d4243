// Makes the GraphQL types of every noun from its description and its service: fields, parent, root field, list on the parent, and
// mutations. A noun's own file adds more fields and mutations.
import type { FieldMap } from '@pothos/core';
import type { Scope } from '../auth/scopes.ts';
import { ownerKeysOf } from '../resources/description/ancestors.ts';
import type { Fields } from '../resources/description/fields.ts';
import { graphqlNameOf, pluralOf, referenceFieldName } from '../resources/description/names.ts';
import type { Resource, Row } from '../resources/description/resource.ts';
import { conditionalSplit } from '../resources/funnel-steps.ts';
import { type Described, isPermanent } from '../resources/nouns.ts';
import { workspace } from '../resources/workspaces.ts';
import * as teams from '../services/accounts/teams.ts';
import * as users from '../services/accounts/users.ts';
import * as workspaces from '../services/accounts/workspaces.ts';
import * as conditionalSplits from '../services/funnels/conditional-splits.ts';
import { SERVICES } from '../services/nouns.ts';
import type { Service } from '../services/service.ts';
import { builder, type Types } from './builder.ts';
import { nameSets } from './closed-sets.ts';
import { type ConnectionType, defineConnection } from './connection.ts';
import type { LookUpOptions } from './look-ups.ts';
import { defineChanges } from './mutations.ts';
import { defineNode, type NodeType } from './nodes.ts';
import { teamLookUp, workspaceLookUp } from './own-reads.ts';
import { childFields, referenceFields } from './references.ts';
import { Tag, tagInterfaces, withoutTagIds } from './taggable.ts';
import { tagsField } from './tags.ts';

type AnyRow = { readonly id: bigint };
type Builder = PothosSchemaTypes.ObjectFieldBuilder<Types, Readonly<Record<string, bigint>>>;

/** Deviations of one noun that its own file cannot add afterwards. */
interface OwnTypes {
  readonly lookUp?: LookUpOptions<object>;
  /** The resource for its lists, if their cursors contain another name than its table's. */
  readonly listed?: Resource;
}

const OWN = new Map<Service, OwnTypes>([
  [teams.service, { lookUp: teamLookUp }],
  [workspaces.service, { lookUp: workspaceLookUp }],
  [users.service, { lookUp: { note: 'Any user except the caller’s own needs account:read.' } }],
  [conditionalSplits.service, { listed: { ...conditionalSplit, table: 'conditional_split_steps' } }],
]);

interface NounTypes {
  readonly node: NodeType<AnyRow>;
  /** null: no parent lists the noun. */
  readonly connection: ConnectionType<AnyRow> | null;
}

const types = new Map<string, NounTypes>();
const SHOWN = SERVICES.filter(({ noun }) => noun.graphql !== false);
for (const service of SHOWN) types.set(service.noun.type, defineTypes(service));
for (const service of SHOWN) defineLists(service);

// The workspace's type is made after the interface.
builder.interfaceField(Tag, 'workspace', (t) =>
  typesOf(workspace).node.field(t as object as Builder, 'workspaceId', 'The workspace of the tag.', {
    always: true,
  }),
);

function typesOf({ type }: Pick<Resource, 'type'>): NounTypes {
  const found = types.get(type);
  if (found === undefined) throw new TypeError(`${type} is no noun.`);
  return found;
}

/** The type of a noun's objects. */
export function nodeOf<R extends Described>(noun: R): NodeType<Row<R>> {
  return typesOf(noun).node as NodeType<object> as NodeType<Row<R>>;
}

/** The type of a noun's lists. */
export function connectionOf<R extends Described>(noun: R): ConnectionType<Row<R> & { id: bigint }> {
  const { connection } = typesOf(noun);
  if (connection === null) throw new TypeError(`${noun.type} has no list below a parent.`);
  return connection as object as ConnectionType<Row<R> & { id: bigint }>;
}

function defineTypes(service: Service): NounTypes {
  const { noun, open, getMany, isJoinable } = service;
  const reads = open ?? service.reads;
  const { title, parent, plural, listDescription, openFields = [] } = noun;
  const { lookUp, listed = noun } = OWN.get(service) ?? {};
  const nodeNamed = (type: string) => typesOf({ type }).node;
  const { scope = null } = reads ?? {};
  const isAlwaysReadable = (of: NodeType<object>) => of.scope === scope;
  const node = defineNode<AnyRow>(noun, {
    ...{ scope: reads?.scope ?? null, getMany, isJoinable },
    ...(open !== null &&
      service.reads !== null && { others: { than: openFields, scope: service.reads.scope } }),
    ...(lookUp && { lookUp: lookUp as LookUpOptions<AnyRow> }),
    interfaces: tagInterfaces(noun),
    fieldsBeside: (t, fields) => ({
      ...referenceFields(t, withoutTagIds(noun, fields), nodeNamed, isAlwaysReadable),
      ...childFields(t, fields, nodeNamed),
    }),
    fields: (t) => ({
      ...ownerFields(t, noun, scope),
      ...tagsField(t, noun, nodeNamed),
    }),
  });
  for (const fields of inputsBesidesFields(noun)) nameSets(node.name, fields);
  if (parent === undefined || plural === undefined || reads === null) return { node, connection: null };
  const connection = defineConnection(node, listed, reads);
  const above = typesOf(parent).node;
  above.addField(plural, (t) =>
    connection.field(
      t,
      above,
      listDescription ?? `The ${pluralOf(title.toLowerCase())} of the ${parent.title.toLowerCase()}.`,
    ),
  );
  defineChanges(node, noun, service, above, connection);
  return { node, connection };
}

/** Defines the lists of a noun's objects below other nouns than its parent, once the types of all nouns are defined. */
function defineLists(service: Service): void {
  const { noun, lists } = service;
  const { connection } = typesOf(noun);
  if (connection === null) return;
  const { listed = noun } = OWN.get(service) ?? {};
  for (const list of lists) {
    const { of } = list;
    const { filters, search, refinedBy, ...unfiltered } = listed;
    const inList = of.indexes === undefined ? unfiltered : { ...unfiltered, ...(filters && { filters }) };
    const { under, plural } = of;
    const about =
      of.description ?? `The ${pluralOf(noun.title.toLowerCase())} of the ${under.title.toLowerCase()}.`;
    const below = { name: `${listed.table} of ${under.table}`, resource: inList, reads: list };
    const over = typesOf(under).node;
    over.addField(plural, (t) => connection.field(t, over, about, below));
  }
}

/** The inputs of a noun that are not its fields. */
function inputsBesidesFields({ inputs = {}, actions = {} }: Resource): Fields[] {
  return [inputs, ...Object.values(actions).map(({ fields = {} }) => fields)];
}

/**
 * The fields for the objects that a noun belongs to, named after the properties with their ids, without `Id`. One is non-null if whoever may
 * read the object may read its owner, and nothing deletes the owner. Otherwise an owner that is deleted meanwhile would make the whole page
 * an error.
 */
function ownerFields(t: object, noun: Described, scope: Scope | null): FieldMap {
  const { title, parent, parentDescription } = noun;
  const made = ownerKeysOf(noun).map(([key, owner]) => {
    const about =
      (owner === parent ? parentDescription : undefined) ??
      `The ${owner.title.toLowerCase()} of the ${title.toLowerCase()}.`;
    const { node } = typesOf(owner);
    // Every caller that may read the objects of a team or workspace may enter it.
    const always = isPermanent(owner) && (node.scope === null || node.scope === scope);
    const name = referenceFieldName(graphqlNameOf(key, noun.fields[key]));
    return [name, node.field(t as Builder, key, about, { always })] as const;
  });
  return Object.fromEntries(made);
}
