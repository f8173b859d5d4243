// Turns the database's constraint violations into errors of the field to blame, for every noun.
import {
  AppError,
  conflict,
  type Fault,
  invalid,
  invalidFields,
  moreThan,
  mustBe,
  NOT_VALID,
  noSuch,
  notFound,
  outOfRange,
  TAKEN,
} from '../../errors.ts';
import { type Field, referencedNoun } from '../../resources/description/fields.ts';
import { type Moment, writableFields } from '../../resources/description/inputs.ts';
import { nounPhrase, pluralOf, toSnakeCase, withArticle } from '../../resources/description/names.ts';
import type { Resource } from '../../resources/description/resource.ts';
import { NOUNS } from '../../resources/nouns.ts';
import type { ChangeRules, Refused } from '../../store/changing/rules.ts';
import { type Violation, violationOf } from '../../store/connections/failures.ts';
import type { Table } from '../../store/tables/table.ts';
import type { NameOf } from '../input/parse-fields.ts';

type Noun = Table<{ id: bigint }>;

/** The change that PostgreSQL refused. */
interface Change {
  /** The properties for constraints that are not named after their column. */
  readonly propertiesOfConstraints?: Readonly<Record<string, string>> | undefined;
  readonly isRemoval?: boolean;
}

/** What is wrong with the value of a field that a constraint refuses. */
function faultOf(kind: Exclude<Violation['kind'], 'restrict'>, field: Field): Fault {
  if (kind === 'unique') return TAKEN;
  return kind === 'check' ? checkOf(field) : noSuch(referencedNoun(field)?.title ?? 'object');
}

const TOO_LARGE: Fault = { code: 'too_long', message: 'is too large' };

/** The fault of a value that a check of the database refuses. Amounts and measures are checked against a minimum. */
function checkOf({ mustBe: expected, type }: Field): Fault {
  if (expected !== undefined) return mustBe(expected);
  const isNumber = ['decimal', 'number', 'count'].includes(type);
  return isNumber ? outOfRange('0 or more') : NOT_VALID;
}

/** The 422 for exceeding the number of objects that a parent may have. */
export function tooMany(
  { resource: { fields }, title, parent }: Noun,
  { perParent, property }: NonNullable<ChangeRules['most']>,
  nameOf: NameOf,
): AppError {
  const field = fields[property];
  const name = field === undefined ? property : nameOf(property, field);
  return invalid(
    name,
    moreThan(withArticle(parent.title.toLowerCase()), perParent, pluralOf(title.toLowerCase())),
  );
}

/** The error for a change that other rows do not allow. */
export function refusedBy(refused: Refused, resource: Resource, moment: Moment, nameOf: NameOf): AppError {
  const called = (name: string, of: Field | undefined) => (of === undefined ? name : nameOf(name, of));
  const blamed = [refused, ...refused.others].flatMap(({ property, item, fault }) => {
    if (property === null || fault === null) return [];
    const field = writableFields(resource, moment)[property];
    const whole = called(property, field);
    const part = item && `[${item.index}].${called(item.property, field?.items?.[item.property])}`;
    return [{ ...fault, field: `${whole}${part ?? ''}` }];
  });
  return blamed.length === 0 ? conflict('in_use', refused.message) : invalidFields(blamed);
}

/**
 * Converts a constraint violation into a 422, a parent that was removed meanwhile into a 404, and the removal of a row that other rows
 * refer to into a 409; returns any other error unchanged.
 * Constraint names contain the column's name, as PostgreSQL chooses them: `contacts_workspace_id_email_address_key`.
 */
export function toInvalid(
  error: unknown,
  { resource: { fields, inputs = {} }, title, name: table, parent }: Noun,
  nameOf: NameOf,
  { propertiesOfConstraints: besides = {}, isRemoval = false }: Change = {},
): unknown {
  // A converted error already blames the right member; the violation is only its cause.
  const violation = error instanceof AppError ? null : violationOf(error);
  if (violation === null) return error;
  const { constraint, kind } = violation;
  if (kind === 'restrict' || (kind === 'reference' && isRemoval))
    return stillReferenced(title, constraint, error);
  const all = { ...fields, ...inputs };
  const column = constraint.replace(`${table}_`, '').replace(/^workspace_id_(?!fkey$)/, '');
  if (column === `${parent.column}_fkey`) return notFound(parent.title);
  const [called] = Object.keys(all)
    .filter((name) => column.startsWith(`${toSnakeCase(name)}_`))
    // The longest match wins: `name_suffix` before `name`.
    .sort((one, other) => other.length - one.length);
  const property = besides[constraint] ?? called;
  const field = property === undefined ? undefined : all[property];
  if (property === undefined || field === undefined)
    return new AppError('invalid', 'These values do not fit together. Change one of them.', {
      reason: { code: 'not_allowed' },
      cause: error,
    });
  const name = nameOf(property, field);
  const isTooLarge = constraint.endsWith('_size');
  return invalid(name, isTooLarge ? TOO_LARGE : faultOf(kind, field), { cause: error });
}

/** @param constraint the constraint of the table that refers to it */
function stillReferenced(title: string, constraint: string, cause: unknown): AppError {
  const by = NOUNS.find(({ table }) => constraint.startsWith(`${table}_workspace_id_`));
  const others = by === undefined ? 'something else' : nounPhrase(by);
  return conflict('in_use', `The ${title.toLowerCase()} is used by ${others} and was not deleted.`, {
    cause,
  });
}

/** Whether the error says that a unique value is taken. */
export function isTaken(error: AppError): boolean {
  return violationOf(error)?.kind === 'unique';
}
