// Requests of the trial's clients, one at a time, with what an answer says of where the caller's last write is.
import { Agent, fetch } from 'undici';

/** A connection may be closed between two requests: none is used again. */
const dispatcher = new Agent({ pipelining: 0 });
const TOKEN = 'Consistency-Token';

export interface Asked {
  readonly authorization: string;
  readonly token?: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Of a write: what makes later reads see it. */
  readonly token: string | null;
}

/** Sends a request of REST, or with `query` one of GraphQL. */
export async function ask(
  url: string,
  { authorization, token }: Asked,
  { method, body }: { readonly method?: string; readonly body?: unknown } = {},
): Promise<Answer> {
  const headers = {
    ...{ Authorization: authorization, 'Content-Type': 'application/json' },
    ...(token !== undefined && { [TOKEN]: token }),
  };
  const response = await fetch(url, {
    ...{ dispatcher, headers, method: method ?? (body === undefined ? 'GET' : 'POST') },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const said = /"consistencyToken":"([^"]+)"/.exec(text)?.[1];
  return {
    status: response.status,
    headers: response.headers as unknown as Headers,
    text,
    token: said ?? response.headers.get(TOKEN),
  };
}
