// Groups the types of the schema into families by the scopes that they need (`@scope`), such as Contacts or Store. Pure.
import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql';

/** What belongs to no family, or to several. */
export const SHARED = 'Shared';

/** The scopes of a type or field, such as `contacts:read`. */
export function scopesOf(
  element: Pick<GraphQLNamedType, 'astNode'> | { astNode?: unknown },
): readonly string[] {
  const node = element.astNode as GraphQLNamedType['astNode'];
  const directives = node?.directives?.filter(({ name }) => name.value === 'scope') ?? [];
  return directives.flatMap(({ arguments: [name] = [] }) =>
    name?.value.kind === 'StringValue' ? [name.value.value] : [],
  );
}

const familyOfScope = (scope: string): string => {
  const [category = ''] = scope.split(':');
  return category.charAt(0).toUpperCase() + category.slice(1);
};

/**
 * The family of each type. One without a scope belongs to the family of the types and fields that use it, if they are of one family.
 */
export function familiesOf(schema: GraphQLSchema): ReadonlyMap<string, string> {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const families = new Map<string, string>();
  for (const type of types) {
    const [scope] = scopesOf(type);
    if (scope !== undefined) families.set(type.name, familyOfScope(scope));
  }
  // Each round finds the types that those of the round before use.
  for (let found = -1; found !== families.size; ) {
    found = families.size;
    const users = new Map<string, Set<string>>();
    const use = (type: GraphQLNamedType, family: string | undefined) =>
      family !== undefined &&
      !families.has(type.name) &&
      users.set(type.name, (users.get(type.name) ?? new Set()).add(family));
    for (const type of types) {
      const own = roots.includes(type as never) ? undefined : families.get(type.name);
      if (isUnionType(type)) for (const member of type.getTypes()) use(type, families.get(member.name));
      if (isInputObjectType(type))
        for (const field of Object.values(type.getFields())) use(getNamedType(field.type), own);
      if (!isObjectType(type) && !isInterfaceType(type)) continue;
      for (const field of Object.values(type.getFields())) {
        const [scope] = scopesOf(field);
        const family = scope === undefined ? own : familyOfScope(scope);
        use(getNamedType(field.type), family);
        for (const argument of field.args) use(getNamedType(argument.type), family);
      }
    }
    for (const [name, used] of users) {
      const [only] = used.size === 1 ? used : [];
      if (only !== undefined) families.set(name, only);
    }
  }
  return families;
}
