// Whole HTTP requests as text, as the load generator sends them.

export function getRequest(path: string, token: string, headers: readonly string[] = []): string {
  return lines('GET', path, token, headers);
}

export function deleteRequest(path: string, token: string): string {
  return lines('DELETE', path, token);
}

/** Creates or changes something under an idempotency key of its own. */
export function writeRequest(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  token: string,
  key: string,
  content?: object,
): string {
  const keyed = [`Idempotency-Key: ${key}`];
  if (content === undefined) return lines(method, path, token, keyed);
  const body = JSON.stringify(content);
  const described = ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  return lines(method, path, token, [...keyed, ...described], body);
}

/** A GraphQL operation over POST: one document always, so that whatever a server caches by its text is found again. */
export function graphqlRequest(document: string, variables: object, token: string): string {
  const body = JSON.stringify({ query: document, variables });
  const headers = [
    'Content-Type: application/json',
    'Accept: application/graphql-response+json, application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return lines('POST', '/graphql', token, headers, body);
}

function lines(
  method: string,
  path: string,
  token: string,
  headers: readonly string[] = [],
  body = '',
): string {
  return [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    ...headers,
    '',
    body,
  ].join('\r\n');
}
