// Finds the root fields of an operation, including those in fragments.
import {
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** The fields that a valid operation selects at its root, fragments included. A fragment counts once, however often it is spread. */
export function rootFieldsOf(
  { definitions }: DocumentNode,
  { selectionSet }: OperationDefinitionNode,
): FieldNode[] {
  const fields: FieldNode[] = [];
  const visited = new Set<string>();

  function visit({ selections }: SelectionSetNode): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) fields.push(selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet);
      else if (!visited.has(selection.name.value)) {
        visited.add(selection.name.value);
        for (const definition of definitions)
          if (definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value)
            visit(definition.selectionSet);
      }
    }
  }

  visit(selectionSet);
  return fields;
}
