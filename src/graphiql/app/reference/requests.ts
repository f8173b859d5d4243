// Sends the requests of the reference with the credentials of the top bar, which are those of GraphiQL in the same tab.
import { fetchWithCredentials } from '../credentials.ts';

export async function sendRequest(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const { url, method, signal } = request;
  const headers = new Headers(request.headers);
  // It would only hold the placeholder of the code samples.
  headers.delete('authorization');
  const body = await request.arrayBuffer();
  return fetchWithCredentials(url, {
    method,
    headers,
    signal,
    ...(body.byteLength > 0 && { body }),
  });
}
