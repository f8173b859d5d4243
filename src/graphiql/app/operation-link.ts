// An operation in a URL: `/graphql?query=…` for a link to share, and a fragment during a sign-in. Never contains headers or
// credentials. Pure.

/** An operation in the editors, as text. */
export interface Operation {
  readonly query: string;
  /** JSON, or '' */
  readonly variables: string;
  /** The operation of the document to run; '' if there is only one. */
  readonly operationName: string;
}

/** Servers and proxies accept URLs of at least 8 kB (RFC 9110 §4.1); chats and mail programs hardly more. */
export const MAX_LINK_CHARS = 8_000;
/** The limit for fragments, which are not sent to a server. */
const MAX_CARRIED_CHARS = 200_000;

/** The gateway's own keys, client secrets, and JSON Web Tokens. */
const CREDENTIAL = /\bfg[ws]_\w{16,}|\beyJ[\w-]{8,}\.[\w-]+\.[\w-]+/;

/** Whether the text of the operation contains a credential. */
export function holdsCredential({ query, variables }: Operation): boolean {
  return CREDENTIAL.test(query) || CREDENTIAL.test(variables);
}

/** The URL that opens the operation, in the form of GraphQL over HTTP (`GET /graphql`). */
export function toLink(base: string, { query, variables, operationName }: Operation): string {
  const parameters = new URLSearchParams({ query });
  if (variables.trim() !== '') parameters.set('variables', reformatJson(variables));
  if (operationName !== '') parameters.set('operationName', operationName);
  return `${base}?${parameters}`;
}

/** The operation in the parameters of a URL; null without one. */
export function fromLink(parameters: URLSearchParams): Operation | null {
  const query = parameters.get('query');
  if (query === null || query.trim() === '') return null;
  const variables = reformatJson(parameters.get('variables') ?? '', 2);
  return { query, variables, operationName: parameters.get('operationName') ?? '' };
}

/** The operation as text for a fragment; null if it is too long. */
export function toFragment({ query, variables, operationName }: Operation): string | null {
  const text = encodeURIComponent(JSON.stringify([query, variables, operationName]));
  return text.length > MAX_CARRIED_CHARS ? null : text;
}

/** The operation in the output of `toFragment`, after the fragment was decoded once; null for anything else. */
export function fromFragment(text: string | null): Operation | null {
  if (text === null || text.length > MAX_CARRIED_CHARS) return null;
  try {
    const parts: unknown = JSON.parse(text);
    if (!Array.isArray(parts) || parts.length !== 3 || !parts.every((part) => typeof part === 'string'))
      return null;
    const [query = '', variables = '', operationName = ''] = parts as string[];
    return query === '' ? null : { query, variables, operationName };
  } catch {
    return null;
  }
}

/** JSON in one line, or indented; any other text unchanged. */
function reformatJson(json: string, indent?: number): string {
  try {
    return JSON.stringify(JSON.parse(json), null, indent);
  } catch {
    return json;
  }
}
