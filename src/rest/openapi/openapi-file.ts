// Serves openapi.json. The committed document is the same for all clients, so it needs no credentials.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { matchesTag } from '../../messages/content-coding.ts';
import type { Reply } from '../../messages/reply.ts';

export const OPENAPI_PATH = '/api/v2/openapi.json';

/** Read once, on the first request. */
let file: ReturnType<typeof readOpenApi> | undefined;

/** The document, or 304 if the client has it. @param ifNoneMatch the request's header */
export function openApiReply(ifNoneMatch: string | undefined): Reply {
  file ??= readOpenApi();
  const { body, etag } = file;
  const headers = { 'Cache-Control': 'public, max-age=300', ETag: etag };
  if (matchesTag(ifNoneMatch, etag)) return { status: 304, headers, body: null };
  return { status: 200, headers: { ...headers, 'Content-Type': 'application/json' }, body };
}

function readOpenApi() {
  const body = readFileSync(new URL('../../../openapi.json', import.meta.url));
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
}
