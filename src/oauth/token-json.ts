// Token requests in JSON, which older platforms take besides forms (RFC 6749 §3.2). Only legacy clients may send them. The library takes
// forms alone, so a JSON body becomes one.
import { findClient, isEnabled, legacyTermsOf } from '../services/sign-in/oauth-records.ts';
import { isClientId } from './clients.ts';
import type { Engine } from './engine.ts';
import { createOauthRequest, type OauthRequest } from './oauth-request.ts';
import { MAX_PARAMETERS } from './parameters.ts';

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Answers a token request. @throws AppError `unavailable`, `payload_too_large` */
export async function token(engine: Engine, request: OauthRequest): Promise<Response> {
  const { raw } = request;
  if (!JSON_TYPE.test(raw.headers.get('content-type') ?? '')) return engine.answer(request);
  const body = parseMembers((await request.body()) ?? new Uint8Array());
  const isAllowed = await isLegacyClient(engine, clientIdOf(raw.headers, body));
  // The library refuses the type of the body.
  if (!isAllowed) return engine.answer(request);
  if ('fault' in body) return refuse(request, body.fault);
  const headers = new Headers(raw.headers);
  headers.set('content-type', FORM_TYPE);
  headers.delete('content-length');
  const form = new URLSearchParams(body.members).toString();
  return engine.answer(
    createOauthRequest({ ...request, raw: new Request(raw.url, { method: 'POST', headers, body: form }) }),
  );
}

/** The members of a JSON object as parameters; or why it has none. */
type Parsed = { readonly members: [name: string, value: string][] } | { readonly fault: string };

function parseMembers(bytes: Uint8Array): Parsed {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    value = JSON.parse(text);
  } catch {
    return { fault: 'the body is not valid JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { fault: 'the body must be a JSON object' };
  const all = Object.entries(value);
  // JSON.parse keeps the last of several members with the same name. RFC 6749 §3.2 forbids to repeat a parameter.
  if (countNames(text) > all.length)
    return { fault: 'the body must have each member once, and no object or list in it' };
  if (all.length > MAX_PARAMETERS) return { fault: 'the body has too many members' };
  // A parameter without a value counts as omitted (RFC 6749 §3.2).
  const members = all.filter(([, member]) => member !== null);
  if (!members.every((member): member is [string, string] => typeof member[1] === 'string'))
    return { fault: 'each member must be a text' };
  return { members };
}

/** How many names of members a valid JSON text has, at all levels, repeated ones included. */
function countNames(text: string): number {
  let names = 0;
  for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) if (colon !== undefined) names += 1;
  return names;
}

/** The client that a request names, in its body or by HTTP Basic (RFC 6749 §2.3.1). The library authenticates it. */
function clientIdOf(headers: Headers, body: Parsed): string | null {
  const [, id] = ('members' in body && body.members.find(([name]) => name === 'client_id')) || [];
  if (id !== undefined) return id;
  const credentials = /^basic +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? '';
  const [user = ''] = Buffer.from(credentials, 'base64').toString().split(':', 1);
  try {
    return decodeURIComponent(user.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

async function isLegacyClient({ app }: Engine, id: string | null): Promise<boolean> {
  const client = id === null || !isClientId(id) ? null : await findClient(app, id);
  return client !== null && isEnabled(client, app.clock()) && legacyTermsOf(client) !== null;
}

function refuse({ facts }: OauthRequest, fault: string): Response {
  facts.refusal = { code: 'invalid_request', reason: fault };
  return Response.json({ error: 'invalid_request', error_description: fault }, { status: 400 });
}
