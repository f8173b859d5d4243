// The store that requests of points/kinds.ts are about, and how they are sent.
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import type { GatewayProcess } from '../gateway-process.ts';
import type { Fixtures, Sending } from './kinds.ts';

const requesting = new Agent({ keepAlive: true, maxSockets: 1 });

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly bytes: number;
  readonly tag: string | undefined;
  /** What is left of the limit that is named first. */
  readonly left: number;
}

/** Sends one request, and reads all of its answer. */
export function send(
  origin: string,
  { path, method = 'GET', headers = {}, body }: Sending,
  agent = requesting,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    request(origin + path, { agent, method, headers: { ...headers, ...length } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const all = Buffer.concat(chunks);
        resolve({
          status: response.statusCode ?? 0,
          text: response.headers['content-encoding'] === undefined ? all.toString() : '',
          bytes: all.length,
          tag: response.headers.etag,
          left: Number(/r=(\d+)/.exec(String(response.headers['ratelimit'] ?? ''))?.[1] ?? Number.NaN),
        });
      });
      response.on('error', reject);
    })
      .on('error', reject)
      .end(body);
  });
}

/** A workspace with a hundred contacts of 60 kB, and some objects in the demo. */
export async function prepare({ origin, key, command }: GatewayProcess): Promise<Fixtures> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const post = async (path: string, body: object) => {
    const answer = await send(origin, { path, method: 'POST', headers, body: JSON.stringify(body) });
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text) as { id: number };
  };
  const get = async (path: string) =>
    JSON.parse((await send(origin, { path, headers })).text) as { id: number }[];
  await command('workspace', 'create', '--team', '1', '--name', 'Heavy', '--subdomain', 'heavy');
  const workspaces = await get('/api/v2/teams/1/workspaces');
  const heavy = Math.max(...workspaces.map(({ id }) => id));
  const heavyIds: string[] = [];
  for (let i = 0; i < 100; i++) {
    const text = `a text "in quotes" `.repeat(105);
    const custom_attributes = Object.fromEntries(Array.from({ length: 28 }, (_, j) => [`a${j}`, text]));
    const contact = { first_name: `Heavy ${i}`, custom_attributes };
    const { id } = await post(`/api/v2/workspaces/${heavy}/contacts`, { contact });
    heavyIds.push(btoa(`Contact:${id}`));
  }
  const { id: contact } = await post('/api/v2/workspaces/1/contacts', { contact: { first_name: 'One' } });
  const { id: tag } = await post('/api/v2/workspaces/1/contacts/tags', { contacts_tag: { name: 'points' } });
  return { key, host: `localhost:${new URL(origin).port}`, heavyWorkspace: heavy, heavyIds, contact, tag };
}

/** Time on a processor of a gateway's main thread, in milliseconds: what others have to wait for, whatever else the machine does. */
export async function mainThreadMs({ child: { pid } }: GatewayProcess): Promise<number> {
  const text = await readFile(`/proc/${pid}/task/${pid}/schedstat`, 'utf8');
  return Number(text.split(' ')[0]) / 1e6;
}

/** Closes the connection that requests were sent over. */
export function closeConnections(): void {
  requesting.destroy();
}
