// Makes the GraphQL types of every noun from its description and its service: fields, parent, root field, list on the parent, and
// mutations. A noun's own file adds more fields and mutations.
import type { FieldMap } from '@pothos/core';
import { conditionalSplit } from '../resources/funnel-steps.ts';
import { type ByNoun, type Described, NOUNS } from '../resources/nouns.ts';
import { type Fields, parentKeyOf, pluralOf, type Resource, type Row } from '../resources/resource.ts';
import { type Service, serviceOf } from '../services/nouns.ts';
import { nameSets } from './closed-sets.ts';
import { type ConnectionType, defineConnection } from './connection.ts';
import type { LookUpOptions } from './look-ups.ts';
import { defineChanges } from './mutations.ts';
import { defineNode, type NodeType } from './nodes.ts';
import { teamLookUp, workspaceLookUp } from './own-reads.ts';
import { childFields, referenceFields } from './references.ts';
import { tagsField } from './tags.ts';

type AnyRow = { readonly id: bigint; readonly publicId: string };

/** Deviations of one noun that its own file cannot add afterwards. */
interface Special {
  readonly lookUp?: LookUpOptions<object>;
  /** The resource to use for its lists, when cursors carry another name than its table's. */
  readonly listed?: Resource;
  /** Its own file defines its mutations, with other names. */
  readonly hasOwnMutations?: true;
}

/** By the noun's type. */
const SPECIAL: ByNoun<Special> = {
  Team: { lookUp: teamLookUp },
  Workspace: { lookUp: workspaceLookUp },
  User: { lookUp: { note: 'Any other than the caller’s own needs account:read.' } },
  ContactAppliedTag: { hasOwnMutations: true },
  ConditionalSplitStep: { listed: { ...conditionalSplit, table: 'conditional_split_steps' } },
};

interface NounTypes {
  readonly node: NodeType<AnyRow>;
  /** null: no parent has a list of it. */
  readonly connection: ConnectionType<AnyRow> | null;
}

const types = new Map<string, NounTypes>();
for (const noun of NOUNS) types.set(noun.type, defineTypes(noun as Described));

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

function defineTypes(noun: Described): NounTypes {
  const { type, title, parent, plural, listDescription } = noun;
  const service = serviceOf(noun) as Service<{ id: bigint }> as Service<AnyRow>;
  const { lookUp, listed = noun, hasOwnMutations } = SPECIAL[type] ?? {};
  const nodeNamed = (type: string) => typesOf({ type }).node;
  const node = defineNode<AnyRow>(noun, {
    ...service,
    ...(lookUp && { lookUp: lookUp as LookUpOptions<AnyRow> }),
    fieldsBeside: (t, fields) => ({
      ...referenceFields(t, fields, nodeNamed),
      ...childFields(t, fields, nodeNamed),
    }),
    fields: (t) => ({
      ...parentField(t, noun),
      ...tagsField(t, noun),
    }),
  });
  for (const fields of givenBesides(noun)) nameSets(type, fields);
  if (parent === undefined || plural === undefined || service.scope === null)
    return { node, connection: null };
  const connection = defineConnection(node, listed, { ...service, scope: service.scope });
  const above = typesOf(parent).node;
  above.addField(plural, (t) =>
    connection.field(
      t,
      listDescription ?? `The ${pluralOf(title.toLowerCase())} of the ${parent.title.toLowerCase()}.`,
    ),
  );
  for (const list of service.lists) {
    const { of } = list;
    const { filters, refinedBy, ...unfiltered } = listed;
    const inList = of.indexes === undefined ? unfiltered : { ...unfiltered, ...(filters && { filters }) };
    const { under, plural } = of;
    const about = `The ${pluralOf(title.toLowerCase())} of the ${under.title.toLowerCase()}.`;
    const below = { name: `${listed.table} of ${under.table}`, resource: inList, reads: list };
    typesOf(under).node.addField(plural, (t) => connection.field(t, about, below));
  }
  if (hasOwnMutations !== true) defineChanges(node, noun, service, above, connection);
  return { node, connection };
}

/** What clients give of a noun besides its fields. */
function givenBesides({ inputs = {}, actions = {} }: Resource): Fields[] {
  return [inputs, ...Object.values(actions).map(({ fields = {} }) => fields)];
}

/** The field for the parent object, named after the property with its id, without `Id`. */
function parentField(t: Parameters<NodeType<never>['field']>[0], noun: Described): FieldMap {
  const { title, parent, parentDescription } = noun;
  if (parent === undefined) return {};
  const key = parentKeyOf(noun);
  const about = parentDescription ?? `The ${parent.title.toLowerCase()} of the ${title.toLowerCase()}.`;
  return { [key.replace(/Id$/, '')]: typesOf(parent).node.field(t, key as never, about) };
}
