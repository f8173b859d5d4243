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

/** An error in one field or parameter, with the name that clients use. */
export interface FieldError {
  field: string;
  message: string;
}

interface AppErrorOptions {
  /** The errors of single fields; the first field is also GraphQL's `extensions.field`. */
  errors?: FieldError[];
  /** The closed set of values of which the messages name some. GraphQL, where they have other names, says those. */
  values?: readonly string[] | undefined;
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
  readonly scope: string | undefined;
  readonly invalidToken: boolean;
  readonly retryAfterSeconds: number | undefined;
  readonly allow: readonly string[] | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.errors = options.errors ?? [];
    this.values = options.values;
    this.scope = options.scope;
    this.invalidToken = options.invalidToken ?? false;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.allow = options.allow;
  }
}

/** The 404 for objects that do not exist and for those without access, so that clients cannot distinguish them. */
export function notFound(what: string): AppError {
  return new AppError('not_found', `${what} not found.`);
}

/** The 412 for a precondition that does not hold (RFC 9110 §13.1.1), and for an object that is no longer what it was found by. */
export function preconditionFailed(): AppError {
  return new AppError('precondition_failed', 'The object was changed meanwhile, or does not match If-Match.');
}

/** The 405 for a path that supports other methods (RFC 9110 §15.5.6). @param allow the supported methods */
export function methodNotAllowed(allow: readonly string[]): AppError {
  return new AppError('method_not_allowed', `This path answers ${allow.join(', ')} only.`, { allow });
}

/**
 * The 422 for one invalid field or parameter. The message should say what is valid.
 * @param options what else there is to say of the error
 */
export function invalid(
  field: string,
  message: string,
  options: Pick<AppErrorOptions, 'values'> = {},
): AppError {
  return new AppError('invalid', message, { ...options, errors: [{ field, message }] });
}

/** The 422 for several fields. Its detail consists of their messages, in order. @param more sentences to append */
export function invalidFields(errors: FieldError[], ...more: string[]): AppError {
  const messages = [...errors.map(({ message }) => message), ...more];
  return new AppError('invalid', messages.join(' '), { errors });
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
      errors.push(...error.errors);
    }
  }
  if (errors.length > 0) throw invalidFields(errors);
  return values as { [Name in keyof P]: ReturnType<P[Name]> };
}

/** The error with "Nothing was changed." added to its message. */
export function nothingChanged(error: AppError): AppError {
  return withMessage(error, `${error.message} Nothing was changed.`);
}

/** The error with a message that adds that the change may have been made. */
export function outcomeUnknown(error: AppError): AppError {
  return withMessage(
    error,
    `${error.message} What it was to change may have been changed: look before you send it again. With an idempotency key the same request is safe to send again.`,
  );
}

function withMessage({ code, retryAfterSeconds }: AppError, message: string): AppError {
  return new AppError(code, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}

/** A reason why the program cannot start. The message also says what to do; it is printed unchanged, with exit code 1. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
