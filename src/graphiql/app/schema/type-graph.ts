// The types of the schema and their relations: which fields lead from one type to another. Connections, edges and payloads are not types
// here; a field that lists through a connection leads to what it lists. Pure.
import {
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLUnionType,
  getNamedType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';

export type DrawnType = GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType;

/** The fields that lead from one type to another. `is`: from an interface or union to a type that it can be. */
export interface Relation {
  readonly from: string;
  readonly to: string;
  readonly fields: readonly string[];
}

export interface TypeGraph {
  readonly types: ReadonlyMap<string, DrawnType>;
  readonly relations: readonly Relation[];
  /** The relations of the type to and from others, without those to itself. */
  around(name: string): readonly Relation[];
  /**
   * The relations of all shortest ways from one type to another; empty if there is none. No way leads through a container such as
   * `Workspace`, to which nearly every type leads and which leads back to each: it would say nothing.
   */
  between(from: string, to: string): readonly Relation[];
  /** The type that a person means by a text: its name, the beginning or a part of it, else the name of a field that leads to it. */
  find(text: string): string | null;
}

/** A type that leads to more than a fourth of all types is a container. */
const CONTAINER_SHARE = 1 / 4;

export function typeGraphOf(schema: GraphQLSchema): TypeGraph {
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const left = new Set<GraphQLNamedType | null | undefined>([
    ...roots,
    ...mutations.map(({ type }) => getNamedType(type)),
  ]);
  const types = new Map<string, DrawnType>();
  for (const type of Object.values(schema.getTypeMap()))
    if (isDrawn(type) && !left.has(type)) types.set(type.name, type);
  const relations = [...types.values()].flatMap((type) => relationsOf(type, schema, types));
  const leaving = Map.groupBy(relations, ({ from }) => from);
  const arriving = Map.groupBy(relations, ({ to }) => to);
  const isContainer = (name: string) => (leaving.get(name)?.length ?? 0) > types.size * CONTAINER_SHARE;

  /** How far each type is from one. A step from an interface to a type that it can be counts twice: few of them are meant. */
  function distancesFrom(start: string): ReadonlyMap<string, number> {
    const distances = new Map([[start, 0]]);
    const queue = [start];
    for (const name of queue) {
      if (name !== start && isContainer(name)) continue;
      for (const relation of leaving.get(name) ?? []) {
        const distance = (distances.get(name) ?? 0) + lengthOf(relation);
        if (distance >= (distances.get(relation.to) ?? Number.POSITIVE_INFINITY)) continue;
        distances.set(relation.to, distance);
        queue.push(relation.to);
      }
    }
    return distances;
  }

  function between(from: string, to: string): readonly Relation[] {
    const distances = distancesFrom(from);
    const found = new Set<Relation>();
    const ends = from === to ? [] : [to];
    for (const end of ends)
      for (const relation of arriving.get(end) ?? []) {
        const before = distances.get(relation.from);
        const isStop = relation.from !== from && isContainer(relation.from);
        if (before === undefined || isStop || before + lengthOf(relation) !== distances.get(end)) continue;
        found.add(relation);
        if (!ends.includes(relation.from)) ends.push(relation.from);
      }
    return [...found];
  }

  return {
    types,
    relations,
    around: (name) => relations.filter(({ from, to }) => from !== to && (from === name || to === name)),
    between,
    find: (text) => findType(text.trim().toLowerCase(), types, relations),
  };
}

const lengthOf = ({ fields }: Relation): number => (fields[0] === 'is' ? 2 : 1);

function isDrawn(type: GraphQLNamedType): type is DrawnType {
  if (type.name.startsWith('__')) return false;
  if (isUnionType(type) || isInterfaceType(type)) return true;
  if (!isObjectType(type)) return false;
  const fields = type.getFields();
  const isEdge = 'cursor' in fields && 'node' in fields;
  return !('pageInfo' in fields) && !isEdge && !('hasNextPage' in fields);
}

function relationsOf(
  type: DrawnType,
  schema: GraphQLSchema,
  types: ReadonlyMap<string, DrawnType>,
): Relation[] {
  const fields = isUnionType(type) ? [] : Object.values(type.getFields());
  const named = Map.groupBy(fields, (field) => targetOf(field).name);
  const relations = [...named].map(([to, through]) => ({
    from: type.name,
    to,
    fields: through.map(({ name }) => name),
  }));
  const possible = isObjectType(type) ? [] : schema.getPossibleTypes(type);
  const kinds = possible.map(({ name }) => ({ from: type.name, to: name, fields: ['is'] }));
  return [...relations, ...kinds].filter(({ to }) => types.has(to));
}

/** The type that a field leads to, also through a connection. */
export function targetOf({ type }: Pick<GraphQLField<unknown, unknown>, 'type'>): GraphQLNamedType {
  const named = getNamedType(type);
  const { pageInfo, nodes } = isObjectType(named) ? named.getFields() : {};
  return pageInfo === undefined || nodes === undefined ? named : getNamedType(nodes.type);
}

/** Whether a field leads to many. */
export function isMany({ type }: Pick<GraphQLField<unknown, unknown>, 'type'>): boolean {
  const bare = isNonNullType(type) ? type.ofType : type;
  return isListType(bare) || getNamedType(type) !== targetOf({ type });
}

function findType(
  text: string,
  types: ReadonlyMap<string, DrawnType>,
  relations: readonly Relation[],
): string | null {
  if (text === '') return null;
  const names = [...types.keys()];
  const byLength = names.toSorted((a, b) => a.length - b.length);
  const isField = (exact: boolean) => (relation: Relation) =>
    relation.fields.some((field) =>
      exact ? field.toLowerCase() === text : field.toLowerCase().includes(text),
    );
  return (
    names.find((name) => name.toLowerCase() === text) ??
    byLength.find((name) => name.toLowerCase().startsWith(text)) ??
    relations.find(isField(true))?.to ??
    byLength.find((name) => name.toLowerCase().includes(text)) ??
    relations.find(isField(false))?.to ??
    null
  );
}
