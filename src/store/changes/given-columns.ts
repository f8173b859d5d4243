// What the statements of a change have in common, whether it is made in one statement or in steps (distributed/): the columns that
// clients may give, and by what a row is known besides its id.
import { type Moment, type Resource, toSnakeCase, writableFields } from '../../resources/resource.ts';
import type { ChangeRules } from './rules.ts';

/** The columns that clients may give. */
export function givenColumns(resource: Resource, moment: Moment): string[] {
  return Object.keys(writableFields(resource, moment))
    .filter((property) => property in resource.fields)
    .map(toSnakeCase);
}

/** Those columns whose members are changed one by one: what is not given of them stays. */
export function mergedColumns({ fields }: Resource): string[] {
  return Object.entries(fields)
    .filter(([, { members }]) => members !== undefined)
    .map(([property]) => toSnakeCase(property));
}

/**
 * That a row still is what it was found by: by the time that it is locked, it may have lost it.
 * @param row the SQL of the locked row
 */
export function isKnownBy({ knownBy }: ChangeRules, row: string): string {
  if (knownBy === undefined) return 'true';
  const { column, keyOf } = knownBy;
  return `($known_by::text is null or ${keyOf(`${row}.${column}`)} = ${keyOf('$known_by::text')})`;
}
