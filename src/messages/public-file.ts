// Serves files of the package that are the same for all clients and need no credentials: openapi.json and schema.graphql.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { matchesTag } from './content-coding.ts';
import type { Reply } from './reply.ts';

/** Answers with a file, or 304 if the client has it. @param ifNoneMatch the request's header */
type PublicFile = (ifNoneMatch: string | undefined) => Reply;

/** @param type its Content-Type; @param change makes the served text of the file's */
export function publicFile(path: URL, type: string, change?: (text: string) => string): PublicFile {
  /** Read once, on the first request. */
  let file: ReturnType<typeof readFile> | undefined;
  return (ifNoneMatch) => {
    file ??= readFile(path, change);
    const { body, etag } = file;
    const headers = { 'Cache-Control': 'public, max-age=300', ETag: etag };
    if (matchesTag(ifNoneMatch, etag)) return { status: 304, headers, body: null };
    return { status: 200, headers: { ...headers, 'Content-Type': type }, body };
  };
}

function readFile(path: URL, change?: (text: string) => string) {
  const file = readFileSync(path);
  const body = change === undefined ? file : Buffer.from(change(file.toString()));
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
}
