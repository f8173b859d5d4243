// openapi.json over HTTP: the committed document, the same for everybody, so it needs no key.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { matchesTag } from '../messages/content-coding.ts';
import type { Reply } from '../messages/reply.ts';

export const OPENAPI_PATH = '/api/v2/openapi.json';

interface OpenApiFile {
  readonly body: Buffer<ArrayBuffer>;
  readonly etag: string;
}

/** Read once, when it is first asked for. */
let file: OpenApiFile | undefined;

/** The document, or 304 where the client has it. @param known the request's If-None-Match */
export function openApiReply(known: string | undefined): Reply {
  file ??= readOpenApi();
  const { body, etag } = file;
  const headers = { 'Cache-Control': 'public, max-age=300', ETag: etag };
  if (matchesTag(known, etag)) return { status: 304, headers, body: null };
  return { status: 200, headers: { ...headers, 'Content-Type': 'application/json' }, body };
}

function readOpenApi(): OpenApiFile {
  const body = readFileSync(new URL('../../openapi.json', import.meta.url));
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
}
