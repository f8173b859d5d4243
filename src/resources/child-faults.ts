// The rules for children that are written with their parent, and for ordered nouns. Loading the list of nouns fails if a description breaks
// one.
import { parentKeyOf } from './description/ancestors.ts';
import { isArchivable, isOrdered } from './description/common-fields.ts';
import type { Field } from './description/fields.ts';
import { expandableNames } from './description/names.ts';
import { childLists, type Resource } from './description/resource.ts';

/** The faults of a noun's lists of children and of its order, as sentences. @param nouns all nouns */
export function childFaults(noun: Resource, nouns: readonly Resource[]): string[] {
  const { type, verbs = [], parent, most } = noun;
  const isReordered = verbs.includes('reorder');
  return [
    ...childLists(noun).flatMap(([property, field]) =>
      listFaults(noun, property, field, nouns).map((fault) => `${type}.${property} ${fault}.`),
    ),
    ...(isReordered && !isOrdered(noun) ? [`${type} can be reordered, so it needs ...ORDERED.`] : []),
    ...(isOrdered(noun) && (parent?.parent === undefined || parent.table === 'workspaces')
      ? [
          `${type} has an order, so its parent must be below a workspace: changes of the order do not lock a workspace.`,
        ]
      : []),
    ...(isReordered && (most === undefined || parent?.topic === undefined)
      ? [`${type} can be reordered, so it needs \`most\`, and its parent a \`topic\` for the audit entry.`]
      : []),
  ];
}

function listFaults(parent: Resource, property: string, field: Field, nouns: readonly Resource[]): string[] {
  const { children, items = {}, type, nullable, maxLength, writable, changes } = field;
  const noun = nouns.find((other) => other.type === children?.type);
  if (noun?.parent?.type !== parent.type) return [`lists a noun that is not below ${parent.type}`];
  const hasJson = Object.values(items).some((of) => of.type === 'jsonb');
  return [
    ...(noun.fields !== items || noun.table !== children?.table
      ? ['must have the fields and the table of its noun']
      : []),
    ...(noun.scope !== parent.scope ? ['must list a noun with the same scope'] : []),
    ...(!(parentKeyOf(noun) in items) ? ['must include the id of the parent in its items'] : []),
    ...(type !== (hasJson ? 'jsonb' : 'json') || nullable
      ? ['must have the type json, or jsonb if its items contain JSON, and must not be nullable']
      : []),
    ...(maxLength === undefined || maxLength !== noun.most
      ? ['must have a maxLength that equals `most` of its noun']
      : []),
    ...((changes !== undefined) !== (writable === 'always')
      ? ['must have `changes` if it is always writable, and only then']
      : []),
    ...(expandableNames(noun).length > 0 || childLists(noun).length > 0
      ? ['must not have items with lists of children, or with fields that REST returns only for `expand[]`']
      : []),
    ...(noun.plural === property ? ['has the same name as the GraphQL connection of its noun'] : []),
    ...('delete' in items ? ['has a field named `delete`, which is reserved'] : []),
    ...(isArchivable(noun) && items['archived']?.writable
      ? ['must not have items with a writable `archived`']
      : []),
  ];
}
