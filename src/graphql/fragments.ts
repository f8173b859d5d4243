// The fragments of a document, and the root fields of an operation, including those in fragments.
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** The fragments of a document, by name. */
export function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

/** Whether a fragment with this type condition applies to objects of the type. Without a condition it always does. */
export function fragmentApplies(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  condition: string | undefined,
): boolean {
  if (condition === undefined || condition === type.name) return true;
  const abstract = schema.getType(condition);
  return isAbstractType(abstract) && schema.isSubType(abstract, type);
}

/** The fields that a valid operation selects at its root, fragments included. A fragment counts once, however often it is spread. */
export function rootFieldsOf(document: DocumentNode, { selectionSet }: OperationDefinitionNode): FieldNode[] {
  const fields: FieldNode[] = [];
  const unvisited = fragmentsOf(document);

  function visit({ selections }: SelectionSetNode): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) fields.push(selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet);
      else {
        const fragment = unvisited.get(selection.name.value);
        unvisited.delete(selection.name.value);
        if (fragment !== undefined) visit(fragment.selectionSet);
      }
    }
  }

  visit(selectionSet);
  return fields;
}
