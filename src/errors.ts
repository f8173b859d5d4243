// The closed list of error codes that REST and GraphQL share. Services throw AppError; REST and GraphQL each have one function that maps
// it to a response. StartupError is for the command line, which prints its message without a stack trace.

/** Every code with its HTTP status over REST (RFC 9110 §15). */
export const STATUS_OF = {
  bad_request: 400,
  unauthenticated: 401,
  insufficient_scope: 403,
  origin_not_allowed: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  misdirected_request: 421,
  invalid: 422,
  too_many_requests: 429,
  header_fields_too_large: 431,
  internal: 500,
  unavailable: 503,
} as const;

/** A code of the closed list. In GraphQL it is in upper case, in `extensions.code`. */
export type ErrorCode = keyof typeof STATUS_OF;

/** Every code of a field error with what it says: the closed list. Clients depend on the codes, so none may change its meaning. */
export const FIELD_ERROR_CODES = {
  required: 'A value is missing, empty, or only white space.',
  invalid_format: 'The value does not have the form that the field takes.',
  invalid_id: 'The value is not an id, or it is the id of another kind of object.',
  invalid_key: 'The idempotency key is malformed, or it was used for another request.',
  not_included: 'The value is not in the list of values that the field takes.',
  out_of_range: 'The number, amount or time is too small or too large.',
  too_long: 'The text is too long.',
  too_short: 'The text is too short.',
  too_many: 'There are too many of them.',
  repeated: 'The same thing is given more than once.',
  unknown_field: 'There is no such field or parameter here.',
  taken: 'The value has to be unique, and something else has it.',
  not_found: 'What the value names does not exist, or belongs to another workspace.',
  archived: 'What the value names is archived.',
  out_of_stock: 'Fewer are in stock than the value asks for.',
  not_allowed: 'The value does not fit the other values, or what it is about.',
  not_allowed_now: 'The state of the object does not allow the value now.',
  wrong_kind: 'The objects are not all of the same kind.',
} as const;

/** A code of a field error. */
export type FieldErrorCode = keyof typeof FIELD_ERROR_CODES;

/** Why an object refuses a change as a whole. Over REST the status says so. */
const OBJECT_ERROR_CODES = {
  in_use: 'Something else uses the object, so it cannot be removed.',
  stale: 'The object has changed since you read it.',
} as const;

/** The codes of mistakes that only the client's program can mend, not the person who uses it. */
const PROGRAM_ERROR_CODES = [
  'invalid_id',
  'invalid_key',
  'unknown_field',
] as const satisfies FieldErrorCode[];

type ProgramErrorCode = (typeof PROGRAM_ERROR_CODES)[number];

/** Why a change was refused, if a person can mend that: a code of GraphQL's `userErrors`. */
export type UserErrorCode = Exclude<FieldErrorCode, ProgramErrorCode> | keyof typeof OBJECT_ERROR_CODES;

/** Every code of `userErrors` with what it says. */
export const USER_ERROR_CODES = Object.fromEntries(
  Object.entries({ ...FIELD_ERROR_CODES, ...OBJECT_ERROR_CODES }).filter(
    ([code]) => !isProgramError(code as FieldErrorCode),
  ),
) as Readonly<Record<UserErrorCode, string>>;

/** Whether only the client's program can mend a mistake with this code. */
export function isProgramError(code: FieldErrorCode): code is ProgramErrorCode {
  return (PROGRAM_ERROR_CODES as readonly string[]).includes(code);
}

/** What is wrong with a value. */
export interface Fault {
  readonly code: FieldErrorCode;
  /**
   * Continues the name of the field, without a full stop: `has already been taken`; after a colon where it begins with `there`. Or
   * sentences that need no name, which begin with a capital letter and end with a full stop: `Give first or last, not both.`
   */
  readonly message: string;
  /** The end of the message that lists values at fault in REST's form, such as `: 5, 7`. GraphQL clients do not know integer ids. */
  readonly which?: string;
  /** The closed set of values of which the message names some. GraphQL, where they have other names, says those. */
  readonly values?: readonly string[];
}

/** An error in one field or parameter, with the name that clients use. */
export interface FieldError extends Fault {
  readonly field: string;
}

// What is wrong with values, for the rules that many fields have: each rule has its code and its words here.

export const REQUIRED: Fault = { code: 'required', message: 'is required' };
export const BLANK: Fault = { code: 'required', message: 'must not be blank' };
export const NO_ENTRY: Fault = { code: 'required', message: 'must have at least one item' };
export const NOT_AN_OBJECT: Fault = mustBe('an object');
export const NOT_VALID: Fault = { code: 'invalid_format', message: 'is not valid' };
export const UNSTORABLE: Fault = {
  code: 'invalid_format',
  message: 'must not contain NUL characters or lone surrogates',
};
export const TAKEN: Fault = { code: 'taken', message: 'has already been taken' };

/** A value in another form. @param expected the text after "must be" */
export function mustBe(expected: string): Fault {
  return { code: 'invalid_format', message: `must be ${expected}` };
}

/** A value that is not an id, or the id of another kind of object. @param expected the text after "must be" */
export function mustBeId(expected: string): Fault {
  return { code: 'invalid_id', message: `must be ${expected}` };
}

/** A value that is not in a closed list. @param expected the list as text, after "must be" */
export function mustBeOneOf(expected: string): Fault {
  return { code: 'not_included', message: `must be ${expected}` };
}

/** A number, amount or time that is too small or too large. @param expected the text after "must be" */
export function outOfRange(expected: string): Fault {
  return { code: 'out_of_range', message: `must be ${expected}` };
}

/** A text with more characters than it may have. */
export function tooLong(most: number): Fault {
  return { code: 'too_long', message: `must be at most ${most} characters long` };
}

/** A list with more items than it may have. */
export function tooManyItems(most: number): Fault {
  return { code: 'too_many', message: `must have at most ${most} items` };
}

/** More objects than another one may have. @param owner with its article: `a contact` @param things their plural */
export function moreThan(owner: string, most: number, things: string): Fault {
  const message = `${owner[0]?.toUpperCase()}${owner.slice(1)} can have at most ${most} ${things}.`;
  return { code: 'too_many', message };
}

/** An object without a member that it may have. @param known those that it may have */
export function noKnownMember(known: readonly string[], isEmpty: boolean): Fault {
  const message = `Give at least one of these: ${known.join(', ')}.`;
  return { code: isEmpty ? 'required' : 'unknown_field', message };
}

/** An amount with more digits after the decimal point than its currency has. */
export function tooPrecise(places: number, currency: string): Fault {
  const digits = places === 1 ? 'digit' : 'digits';
  return {
    code: 'invalid_format',
    message: `can have at most ${places} ${digits} after the decimal point in ${currency}`,
  };
}

/** A list that must have exactly two items. */
export const NOT_TWO_ITEMS: Fault = { code: 'invalid_format', message: 'must have exactly two items' };

/** Ids that name nothing in the workspace. @param title that of the noun @param missing some of the ids */
export function noSuch(title: string, missing: readonly bigint[] = []): Fault {
  return {
    code: 'not_found',
    message: `there is no such ${title.toLowerCase()} in this workspace`,
    ...(missing.length > 0 && { which: `: ${missing.join(', ')}` }),
  };
}

/** The most characters of a name or value that an error repeats, so that the answer stays small whatever a client sends. */
const MAX_QUOTED_CHARS = 100;

/** The beginning of a client's text, for an error that repeats it. */
export function quoted(text: string): string {
  return text.slice(0, MAX_QUOTED_CHARS);
}

/** A field error as clients read it: `email_address has already been taken.`, `image_id: there is no such image in this workspace.` */
export function sentenceOf({ field, message, which = '' }: FieldError): string {
  if (/^\p{Lu}/u.test(message)) return message;
  const end = message.endsWith('.') ? '' : '.';
  return `${field}${message.startsWith('there ') ? ':' : ''} ${message}${which}${end}`;
}

/** A fault as it reads below the field of a form: `has already been taken`, `There is no such contact.` */
export function messageBelowField({ message }: Fault): string {
  return message.startsWith('there ') ? `T${message.slice(1)}.` : message;
}

/** Why a change was refused as a whole. */
export interface Reason {
  readonly code: UserErrorCode;
  /** The member of the input at fault, if there is one. */
  readonly field?: string;
  /** The title of the noun that was not found. */
  readonly title?: string;
}

interface AppErrorOptions {
  /** The errors of single fields; the first field is also GraphQL's `extensions.field`. */
  errors?: readonly FieldError[];
  /** The closed set of values of which the messages name some. GraphQL, where they have other names, says those. */
  values?: readonly string[] | undefined;
  /** What refuses the change, if `errors` do not say it and a person can mend it. GraphQL's `userErrors` have it. */
  reason?: Reason;
  /** The scope that the request lacks, for the challenge (spec §5 rule 6). */
  scope?: string;
  /** Whether an invalid credential was sent (RFC 6750 §3.1 `invalid_token`). */
  invalidToken?: boolean;
  /** Seconds after which a retry makes sense (RFC 9110 §10.2.3). */
  retryAfterSeconds?: number;
  /** The methods that the path supports (RFC 9110 §15.5.6). */
  allow?: readonly string[];
  /** The internal cause: logged, never sent to clients. */
  cause?: unknown;
}

/** An error that refuses a request. Its message is sent to clients: it must not reveal internals. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[];
  readonly values: readonly string[] | undefined;
  readonly reason: Reason | undefined;
  readonly scope: string | undefined;
  readonly invalidToken: boolean;
  readonly retryAfterSeconds: number | undefined;
  readonly allow: readonly string[] | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.errors = options.errors ?? [];
    this.values = options.values;
    this.reason = options.reason;
    this.scope = options.scope;
    this.invalidToken = options.invalidToken ?? false;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.allow = options.allow;
  }
}

/**
 * The 404 for objects that do not exist and for those without access, so that clients cannot distinguish them.
 * @param what the title of the noun that the request is about @param missing the title of what is missing, if it is another
 */
export function notFound(what: string, missing = what): AppError {
  return new AppError('not_found', `${what} not found.`, { reason: { code: 'not_found', title: missing } });
}

/** The 409 for a change that the state of an object does not allow. @param code why, for GraphQL */
export function conflict(
  code: UserErrorCode,
  message: string,
  options: Pick<AppErrorOptions, 'values' | 'cause'> = {},
): AppError {
  return new AppError('conflict', message, { ...options, reason: { code } });
}

/** The 412 for a precondition that does not hold (RFC 9110 §13.1.1), and for an object that is no longer what it was found by. */
export function preconditionFailed(): AppError {
  return new AppError(
    'precondition_failed',
    'The object has changed since you read it. Read it again, then repeat the change.',
    { reason: { code: 'stale' } },
  );
}

/** The 405 for a path that supports other methods (RFC 9110 §15.5.6). @param allow the supported methods */
export function methodNotAllowed(allow: readonly string[]): AppError {
  return new AppError(
    'method_not_allowed',
    `This path does not support the method. Use ${allow.join(', ')}.`,
    { allow },
  );
}

/** What else there is to say of a field error. */
type FaultOptions = Pick<AppErrorOptions, 'values' | 'cause'>;

/** An error with this code that blames one field or parameter. */
export function blaming(code: ErrorCode, field: string, fault: Fault, options: FaultOptions = {}): AppError {
  const error = { ...fault, field };
  return new AppError(code, sentenceOf(error), { ...options, errors: [error] });
}

/** The 422 for one invalid field or parameter. The message should say what is valid. */
export function invalid(field: string, fault: Fault, options: FaultOptions = {}): AppError {
  return blaming('invalid', field, fault, options);
}

/** The 422 for several fields. Its detail consists of their sentences, in order. @param more sentences to append */
export function invalidFields(errors: readonly FieldError[], ...more: string[]): AppError {
  return new AppError('invalid', [...errors.map(sentenceOf), ...more].join(' '), { errors });
}

/** The errors of single fields as clients get them over REST. GraphQL has the codes in upper case. */
export function shownErrors({
  errors,
}: AppError): { field: string; code: FieldErrorCode; message: string }[] {
  return errors.map((error) => ({ field: error.field, code: error.code, message: sentenceOf(error) }));
}

/** The errors of single fields, to be thrown with others. */
export function fieldErrorsOf({ errors, values }: AppError): readonly FieldError[] {
  return values === undefined ? errors : errors.map((one) => ({ values, ...one }));
}

/**
 * Runs several parsers and returns their results by name.
 * @throws AppError `invalid` with the errors of all parsers that threw `invalid`; any other error of a parser
 */
export function parseAll<P extends Record<string, () => unknown>>(
  parsers: P,
): { [Name in keyof P]: ReturnType<P[Name]> } {
  const values: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  for (const name in parsers) {
    try {
      values[name] = parsers[name]?.();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid') throw error;
      errors.push(...fieldErrorsOf(error));
    }
  }
  if (errors.length > 0) throw invalidFields(errors);
  return values as { [Name in keyof P]: ReturnType<P[Name]> };
}

/** What clients read of a failure of ours. */
export const INTERNAL_MESSAGE = 'Something went wrong on the server. Report the request id to its operator.';

/** The error with "Nothing was changed." added to its message. */
export function nothingChanged(error: AppError): AppError {
  return withMessage(error, `${error.message} Nothing was changed.`);
}

/** The error with a message that adds that the change may have been made. */
export function outcomeUnknown(error: AppError): AppError {
  return withMessage(
    error,
    `${error.message} The change may have been made: look before you send it again, or send it with the same idempotency key.`,
  );
}

function withMessage({ code, retryAfterSeconds }: AppError, message: string): AppError {
  return new AppError(code, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}

/** A reason why the program cannot start. The message also says what to do; it is printed unchanged, with exit code 1. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
