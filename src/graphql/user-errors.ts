// Errors of mutations as data: what a person can mend is in the payload's `userErrors`, and the rest of the payload is null. What the
// program got wrong stays in the answer's `errors`.
import {
  type GraphQLFieldResolver,
  type GraphQLInputType,
  type GraphQLResolveInfo,
  getNamedType,
  isInputObjectType,
} from 'graphql';
import {
  AppError,
  type ErrorCode,
  type FieldError,
  isProgramError,
  messageBelowField,
  type Reason,
  sentenceOf,
  USER_ERROR_CODES,
  type UserErrorCode,
} from '../errors.ts';
import { toAttributeName } from '../services/contacts/custom-attributes.ts';
import { builder, type Types } from './builder.ts';
import { defineEnum } from './closed-sets.ts';
import type { GraphContext } from './context.ts';
import { addRefusal, withEnumNames } from './errors.ts';
import { assumedValues } from './field-options.ts';

/** A member of `userErrors`. */
interface UserError {
  readonly code: UserErrorCode;
  readonly path: readonly string[] | null;
  readonly message: string;
}

/** Stands in place of a mutation's result when the change was refused: schema.ts answers null for the payload's other fields. */
interface Refusal {
  readonly userErrors: readonly UserError[];
}

type Input = Readonly<Record<string, unknown>>;

/** The input fields with ids of objects, by the title of the noun that a service may not find. */
export type IdFields = ReadonlyMap<string, string>;

/**
 * Which refusals can be mended by the person who uses the app, by changing the input or the object. Those that are `true` are user errors
 * if they say what is wrong: as errors of fields, or as a reason.
 */
const MENDED_BY_PERSON: Readonly<Record<ErrorCode, boolean>> = {
  invalid: true,
  // REST's code for the members of splits and custom attributes that it refuses by specification.
  bad_request: true,
  not_found: true,
  // Not if it has a time after which to retry: then only waiting helps.
  conflict: true,
  precondition_failed: true,
  // Only about idempotency keys: what the first request changed is gone, and the program has to choose a new key.
  gone: false,
  // The program's or the operator's.
  unauthenticated: false,
  insufficient_scope: false,
  origin_not_allowed: false,
  method_not_allowed: false,
  request_timeout: false,
  payload_too_large: false,
  uri_too_long: false,
  unsupported_media_type: false,
  misdirected_request: false,
  header_fields_too_large: false,
  // Time mends these.
  too_many_requests: false,
  internal: false,
  unavailable: false,
};

const UserErrorCodeEnum = defineEnum<UserErrorCode>(
  'UserErrorCode',
  'Why a mutation was refused. The list is closed.',
  USER_ERROR_CODES,
);

const UserErrorType = builder.objectRef<UserError>('UserError').implement({
  description: 'An error that the person who uses the app can mend.',
  isPart: true,
  // Whoever may change an object may read why that was refused.
  scope: null,
  fields: (t) => ({
    code: t.expose('code', { type: UserErrorCodeEnum, description: 'What is wrong, for programs.' }),
    path: t.expose('path', {
      type: ['String'],
      nullable: true,
      description:
        'The field of the input at fault, as a path within the input: `["bumps", "0", "productId"]`. Null if no single field is.',
    }),
    message: t.exposeString('message', {
      description: 'What is wrong, for people, without the name of the field: `has already been taken`.',
    }),
  }),
});

/** The field `userErrors` of a payload. */
export function userErrorsField(t: PothosSchemaTypes.ObjectFieldBuilder<Types, unknown>) {
  return t.field({
    type: [UserErrorType],
    scope: null,
    rows: assumedValues(),
    sameRows: true,
    description: 'Why nothing was changed. Empty on success.',
    resolve: (result) => (isRefusal(result) ? result.userErrors : []),
  });
}

/** Whether a mutation was refused. */
export function isRefusal(result: unknown): result is Refusal {
  return typeof result === 'object' && result !== null && 'userErrors' in result;
}

/**
 * The resolver of a mutation, with user errors in place of the errors that a person can mend.
 * @param idFields the input fields with ids, by the titles of their nouns
 */
export function refusable<Args extends { readonly input: object }, Result>(
  idFields: IdFields,
  resolve: (root: object, args: Args, ctx: GraphContext, info: GraphQLResolveInfo) => Promise<Result>,
): GraphQLFieldResolver<object, GraphContext, Args, Promise<Result>> {
  return async (root, args, ctx, info) => {
    try {
      return await resolve(root, args, ctx, info);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const refused = withEnumNames(error);
      const type = info.parentType.getFields()[info.fieldName]?.args[0]?.type;
      const userErrors = userErrorsOf(refused, args.input as Input, idFields, type);
      if (userErrors === null) throw error;
      addRefusal(ctx.facts, refused.code, refused.message);
      ctx.state.refusedChanges += 1;
      // No resolver of the payload gets it.
      return { userErrors } satisfies Refusal as unknown as Result;
    }
  };
}

/**
 * The user errors that say the same as an error; null if a person cannot mend it, or not all of it.
 * @param type the type of the input: an error about a field that it lacks has no path
 */
export function userErrorsOf(
  error: AppError,
  input: Input,
  idFields: IdFields,
  type?: GraphQLInputType,
): UserError[] | null {
  const { code, errors, reason, retryAfterSeconds } = error;
  if (!MENDED_BY_PERSON[code] || retryAfterSeconds !== undefined) return null;
  const shown = errors.flatMap((one) => userErrorOf(one, input, type) ?? []);
  if (shown.length < errors.length) return null;
  if (shown.length > 0) return shown;
  return reason === undefined ? null : [errorOfWhole(error, reason, input, idFields)];
}

/** The error of one field; null if only the program can mend it. */
function userErrorOf(error: FieldError, input: Input, type?: GraphQLInputType): UserError | null {
  const { code, field } = error;
  if (isProgramError(code)) return null;
  const { path, isExact } = pathIn(input, field, type);
  return { code, path, message: isExact ? messageBelowField(error) : sentenceOf(error) };
}

function errorOfWhole(
  { message }: AppError,
  { code, field, title }: Reason,
  input: Input,
  idFields: IdFields,
): UserError {
  if (title !== undefined) {
    const named = idFields.get(title);
    return {
      code,
      path: named !== undefined && named in input ? [named] : null,
      // REST has other names for some nouns, and in its titles.
      message: `There is no such ${named === undefined ? title.toLowerCase() : wordsOf(named)}.`,
    };
  }
  const at = field ?? (code === 'stale' && input[IF_MATCH] != null ? IF_MATCH : undefined);
  return { code, path: at === undefined ? null : pathIn(input, at).path, message };
}

/** The words of an input field with an id: `conditional split` of `conditionalSplitId`. */
const wordsOf = (idField: string) =>
  idField.replace(/Id$/, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** The input field with the precondition of a change. */
export const IF_MATCH = 'ifMatch';

/** The name by which services call the whole input. */
export const WHOLE_INPUT = 'input';

/**
 * The path of a field that a service names, such as `bumps[0].productId`. A member that is an object to services may be a list of names
 * and values.
 * @returns `isExact`: whether the path leads to the field itself
 */
function pathIn(
  input: Input,
  field: string,
  type?: GraphQLInputType,
): { path: string[] | null; isExact: boolean } {
  const [first = ''] = field.split(/[.[]/);
  const named = getNamedType(type);
  const isMissing = isInputObjectType(named) && named.getFields()[first] === undefined;
  if (field === WHOLE_INPUT || isMissing) return { path: null, isExact: false };
  const path: string[] = [];
  let value: unknown = input;
  for (const name of field.split(/[.[\]]+/).filter((part) => part !== '')) {
    const key = Array.isArray(value) && !/^\d+$/.test(name) ? indexOfName(value, name) : name;
    if (key === null) return { path, isExact: false };
    path.push(key);
    value = (value as Input | null | undefined)?.[key];
  }
  return { path, isExact: true };
}

/** The place of an attribute in a list of names and values. Errors have its name in the form that is stored. */
function indexOfName(list: readonly unknown[], name: string): string | null {
  const names = list.map((item) => (item as { name?: unknown } | null)?.name);
  const index = names.includes(name)
    ? names.indexOf(name)
    : names.findIndex((one) => typeof one === 'string' && toAttributeName(one) === name);
  return index < 0 ? null : String(index);
}
