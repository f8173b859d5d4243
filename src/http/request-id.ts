// The id of a request: the one that the client sent if it is safe to log, otherwise a new one.
import { redactTokens } from '../auth/tokens.ts';

/** Request ids that are accepted from clients: short, without white space and control characters. */
const SAFE_REQUEST_ID = /^[\w.:+/=@-]{1,128}$/;

/** Whether a client's request id can be logged. A credential that was sent as the id by mistake must not be. */
function isSafeRequestId(id: string): boolean {
  return SAFE_REQUEST_ID.test(id) && redactTokens(id) === id;
}

/** The client's id for a request if it is safe to log, else a new one. */
export function toRequestId(id: string | null | undefined): string {
  return id != null && isSafeRequestId(id) ? id : crypto.randomUUID();
}
