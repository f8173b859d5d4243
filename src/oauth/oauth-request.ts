// One request to the authorization server, in the form for its handlers. The size of its body is limited.

import { AppError } from '../errors.ts';
import { readBody } from '../messages/body.ts';
import type { RequestFacts } from '../telemetry/request-facts.ts';

export interface OauthRequest {
  /** As it was received. */
  readonly raw: Request;
  readonly requestId: string;
  /** The client's address, behind any trusted proxy. */
  readonly address: string;
  /** Aborted when the request's deadline passes or its client disconnects. */
  readonly signal: AbortSignal;
  /** For the request's log line: the client, and why the request was refused. */
  readonly facts: RequestFacts;
  /** Path parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** The body, read at the first call; null when there is none. @throws AppError `payload_too_large` */
  body(): Promise<Uint8Array | null>;
  /** The fields of the form in the body. @throws AppError `payload_too_large`, `unsupported_media_type` */
  form(): Promise<URLSearchParams>;
}

/** Requests to an authorization server are short. */
const MAX_BODY_BYTES = 56 * 1024;
const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** Adds functions that read the body when a handler first calls one of them. */
export function createOauthRequest(received: Omit<OauthRequest, 'body' | 'form'>): OauthRequest {
  const { raw } = received;
  let read: Promise<Uint8Array | null> | undefined;
  const body = () => {
    read ??= raw.body === null ? Promise.resolve(null) : readBody(raw, MAX_BODY_BYTES);
    return read;
  };
  return {
    ...received,
    body,
    async form() {
      if (!FORM.test(raw.headers.get('content-type') ?? ''))
        throw new AppError(
          'unsupported_media_type',
          'The body must be a form. Send it as application/x-www-form-urlencoded.',
        );
      return new URLSearchParams(Buffer.from((await body()) ?? []).toString());
    },
  };
}
