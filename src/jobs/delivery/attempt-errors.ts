// The reasons why a delivery attempt can fail: one plain sentence each, from a fixed list. Owners of endpoints read them, so they contain
// nothing of the URL, the response or this machine.

export const REASONS = {
  badUrl: 'The URL is not valid.',
  refusedAddress: 'The URL leads to an address that webhooks may not be sent to.',
  nameNotFound: 'The host name was not found.',
  nameNotResolved: 'The host name could not be resolved.',
  connectionRefused: 'The connection was refused.',
  unreachable: 'The address could not be reached.',
  connectTimeout: 'Connecting took too long.',
  closed: 'The connection was closed before the answer was complete.',
  answerTimeout: 'The answer took too long.',
  badAnswer: 'The answer was not valid HTTP.',
  headersTooLarge: 'The headers of the answer were too large.',
  certificateName: 'The certificate is for another host name.',
  certificateExpired: 'The certificate has expired.',
  certificateUntrusted: 'The certificate is not trusted.',
  tls: 'No TLS connection could be agreed on.',
  proxy: 'The proxy that webhooks are sent through did not connect.',
  stopped: 'The attempt was stopped.',
  failed: 'The request could not be sent.',
} as const;

export type Reason = keyof typeof REASONS;

/** A failure that has its reason. */
export class AttemptFailure extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(REASONS[reason]);
    this.reason = reason;
  }
}

/** The reasons by error code of Node, OpenSSL and undici, or by the name of an error without a code. The first matching pattern applies. */
const BY_CODE: readonly (readonly [RegExp, Reason])[] = [
  [/^(ENOTFOUND|ENODATA)$/, 'nameNotFound'],
  [/^(EAI_\w+|ESERVFAIL|ETIMEOUT|EREFUSED|EBADRESP|EBADNAME|ECANCELLED|EFORMERR)$/, 'nameNotResolved'],
  [/^ECONNREFUSED$/, 'connectionRefused'],
  [/^(ENETUNREACH|EHOSTUNREACH|ENETDOWN|EHOSTDOWN|EADDRNOTAVAIL|EACCES|EPERM|EINVAL)$/, 'unreachable'],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'connectTimeout'],
  [/^(UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW)$/, 'headersTooLarge'],
  [/^(HPE_\w+|HTTPParserError|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/, 'badAnswer'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/, 'closed'],
  [/^(UND_ERR_DESTROYED|UND_ERR_CLOSED)$/, 'stopped'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'certificateName'],
  [/^CERT_HAS_EXPIRED$/, 'certificateExpired'],
  [/^(CERT_\w+|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_\w+|\w+_CA|INVALID_PURPOSE)$/, 'certificateUntrusted'],
  [/^(ERR_SSL_\w+|ERR_TLS_\w+|EPROTO)$/, 'tls'],
];

/** The reason for any error that ends an attempt. */
export function attemptErrorOf(error: unknown): Reason {
  if (error instanceof AttemptFailure) return error.reason;
  const { code, name } = error as { code?: unknown; name?: unknown };
  const errorCode = String(code ?? name);
  return BY_CODE.find(([pattern]) => pattern.test(errorCode))?.[1] ?? 'failed';
}
