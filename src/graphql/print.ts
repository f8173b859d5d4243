// The schema as text, with the scope of each field and type as the directive `@scope`. Introspection carries no directives of fields.
import {
  DirectiveLocation,
  GraphQLDirective,
  GraphQLNonNull,
  type GraphQLSchema,
  GraphQLString,
  isInterfaceType,
  isObjectType,
  Kind,
  parse,
  printSchema,
  specifiedDirectives,
} from 'graphql';
import { fieldOptions, typeOptions } from './field-options.ts';

const scopeDirective = new GraphQLDirective({
  name: 'scope',
  description: 'The scope that a caller needs for a field, or for the objects of a type.',
  locations: [DirectiveLocation.FIELD_DEFINITION, DirectiveLocation.OBJECT, DirectiveLocation.INTERFACE],
  isRepeatable: true,
  args: {
    name: {
      type: new GraphQLNonNull(GraphQLString),
      description: 'The scope, such as `contacts:read`.',
    },
  },
});

/** The directives of the schema. */
export const DIRECTIVES: readonly GraphQLDirective[] = [...specifiedDirectives, scopeDirective];

/** The schema in the schema definition language. */
export function printWithScopes(schema: GraphQLSchema): string {
  const text = printSchema(schema);
  const scopes: { readonly at: number; readonly name: string }[] = [];
  for (const node of parse(text).definitions) {
    if (node.kind !== Kind.OBJECT_TYPE_DEFINITION && node.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
    const type = schema.getType(node.name.value);
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    const { scope } = typeOptions(type);
    const { name, interfaces = [], fields = [] } = node;
    if (scope != null) scopes.push({ at: (interfaces.at(-1) ?? name).loc?.end ?? 0, name: scope });
    for (const field of fields) {
      const defined = type.getFields()[field.name.value];
      const needed = defined && fieldOptions(defined).scope;
      if (needed != null) scopes.push({ at: field.type.loc?.end ?? 0, name: needed });
    }
  }
  let printed = '';
  let from = 0;
  for (const { at, name } of scopes) {
    printed += `${text.slice(from, at)} @scope(name: "${name}")`;
    from = at;
  }
  return `${printed}${text.slice(from)}\n`;
}
