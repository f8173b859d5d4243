// What can go wrong, as a closed list of codes that both faces share. Services throw AppError; each edge has one
// mapper that turns it into its own wire form. StartupError is for the command line: a sentence, no stack.

/** Every code, with the HTTP status that it has over REST (DESIGN §5; RFC 9110 §15). */
export const STATUS_OF = {
  bad_request: 400,
  unauthenticated: 401,
  insufficient_scope: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  misdirected_request: 421,
  invalid: 422,
  too_many_requests: 429,
  header_fields_too_large: 431,
  internal: 500,
  unavailable: 503,
} as const;

/** A code of the closed list. GraphQL shows it in capitals in `extensions.code`. */
export type ErrorCode = keyof typeof STATUS_OF;

/** One field or parameter to blame, as the client wrote its name. */
export interface FieldError {
  field: string;
  message: string;
}

interface AppErrorOptions {
  /** Fields to blame; the first is also GraphQL's `extensions.field`. */
  errors?: FieldError[];
  /** The scope that the request lacks; goes into the challenge (spec §5 rule 6). */
  scope?: string;
  /** True when a credential was sent but is no good (RFC 6750 §3.1 `invalid_token`). */
  invalidToken?: boolean;
  /** Seconds after which a retry makes sense (RFC 9110 §10.2.3). */
  retryAfterSeconds?: number;
  /** The methods that a path has (RFC 9110 §15.5.6). */
  allow?: readonly string[];
  /** What happened inside; logged, never shown. */
  cause?: unknown;
}

/** A refusal with a public message. The message is shown to clients: no internals in it. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[];
  readonly scope: string | undefined;
  readonly invalidToken: boolean;
  readonly retryAfterSeconds: number | undefined;
  readonly allow: readonly string[] | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.errors = options.errors ?? [];
    this.scope = options.scope;
    this.invalidToken = options.invalidToken ?? false;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.allow = options.allow;
  }
}

/** The 404 for what does not exist and for what is not the caller's: one answer, so neither is told apart. */
export function notFound(what: string): AppError {
  return new AppError('not_found', `${what} not found.`);
}

/** The 422 for one bad field or parameter. The message should say what would be right. */
export function invalid(field: string, message: string): AppError {
  return new AppError('invalid', message, { errors: [{ field, message }] });
}

/** The same refusal, saying that it came before anything was changed. */
export function nothingChanged(error: AppError): AppError {
  return withMessage(error, `${error.message} Nothing was changed.`);
}

/** The same refusal, where it is not known how much was done. */
export function outcomeUnknown(error: AppError): AppError {
  return withMessage(
    error,
    `${error.message} What it was to change may have been changed: look before you send it again.`,
  );
}

function withMessage({ code, retryAfterSeconds }: AppError, message: string): AppError {
  return new AppError(code, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}

/** Why the program cannot start, in one sentence that says what to do. Printed as it is; exit code 1. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
