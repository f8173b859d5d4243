// SQL of the columns that audit entries and events of an applied tag have: the ids of the object and of the tag, from the record's JSON.
import { type OF_TAGGING, TAGGINGS } from '../../resources/tagging.ts';

/** @param data SQL of the record's JSON, null if it was erased */
export function taggingColumns(data: string): Record<keyof typeof OF_TAGGING, string> {
  const member = (name: string) => `(${data} ->> '${name}')::int8`;
  const caseOf = (value: (key: string) => string) =>
    `case t.subject_type ${[...TAGGINGS].map(([type, { key }]) => `when '${type}' then ${value(key)}`).join(' ')} end`;
  return { taggedId: caseOf(member), tagId: caseOf(() => member('tag_id')) };
}
