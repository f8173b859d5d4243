// The rules for children that are written with their parent, and for ordered nouns. Loading the list of nouns fails if a description breaks
// one.
import {
  childLists,
  expandableNames,
  type Field,
  isArchivable,
  isOrdered,
  parentKeyOf,
  type Resource,
} from './resource.ts';

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
      ? [`${type} has an order, so its parent must be below a workspace: a workspace is not locked for it.`]
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
    ...(noun.fields !== items || noun.table !== children?.table ? ['must have the fields of its noun'] : []),
    ...(noun.scope !== parent.scope ? ['must be of a noun with the same scope'] : []),
    ...(!(parentKeyOf(noun) in items) ? ['must show the id of the parent in each'] : []),
    ...(type !== (hasJson ? 'jsonb' : 'json') || nullable
      ? ['must be of the type json, or jsonb where its items have JSON of their own, and never null']
      : []),
    ...(maxLength === undefined || maxLength !== noun.most
      ? ['must have a maxLength, which is the `most` of its noun']
      : []),
    ...((changes !== undefined) !== (writable === 'always')
      ? ['must say with `changes` what a change may do, if it is always writable, and only then']
      : []),
    ...(expandableNames(noun).length > 0 || childLists(noun).length > 0
      ? ['must have items without lists of children, and without fields that only `expand[]` shows']
      : []),
    ...(noun.plural === property ? ['has the name of the pages of the same noun over GraphQL'] : []),
    ...('delete' in items ? ['has a field that is called delete'] : []),
    ...(isArchivable(noun) && items['archived']?.writable
      ? ['must have items whose `archived` is not writable']
      : []),
  ];
}
