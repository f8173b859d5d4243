// An operation in an address: `/graphql?query=…` for a link to share, and what a sign-in takes along in a fragment. Never
// a header, and never a credential. Pure.

/** What the editors hold of an operation, as text. */
export interface Operation {
  readonly query: string;
  /** JSON, or '' */
  readonly variables: string;
  /** Which operation of the document; '' where there is one. */
  readonly operationName: string;
}

/** Servers and proxies take 8 kB of address at least (RFC 9110 §4.1); chats and mail programs hardly more. */
export const MAX_LINK_CHARS = 8_000;
/** Of a fragment, which goes to no server. */
const MAX_CARRIED_CHARS = 200_000;

/** The gateway's own keys, client secrets, and JSON Web Tokens. */
const CREDENTIAL = /\bfg[ws]_\w{16,}|\beyJ[\w-]{8,}\.[\w-]+\.[\w-]+/;

/** Whether the operation has a credential written into it. */
export function holdsCredential({ query, variables }: Operation): boolean {
  return CREDENTIAL.test(query) || CREDENTIAL.test(variables);
}

/** The address that opens the operation, by `GET /graphql` as GraphQL over HTTP has it. */
export function toLink(base: string, { query, variables, operationName }: Operation): string {
  const parameters = new URLSearchParams({ query });
  if (variables.trim() !== '') parameters.set('variables', rewritten(variables));
  if (operationName !== '') parameters.set('operationName', operationName);
  return `${base}?${parameters}`;
}

/** The operation that an address names; null when it names none. */
export function fromLink(parameters: URLSearchParams): Operation | null {
  const query = parameters.get('query');
  if (query === null || query.trim() === '') return null;
  const variables = rewritten(parameters.get('variables') ?? '', 2);
  return { query, variables, operationName: parameters.get('operationName') ?? '' };
}

/** The operation as text for a fragment; null when it is too long for that. */
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

/** JSON in one line, or indented; any other text as it is. */
function rewritten(json: string, indent?: number): string {
  try {
    return JSON.stringify(JSON.parse(json), null, indent);
  } catch {
    return json;
  }
}
