// Images whose files are fetched from servers that nobody trusts, and how they are served then (src/jobs/images/, src/http/images.ts).
import type { RequestListener } from 'node:http';
import { MockAgent } from 'undici';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { download } from '../../src/jobs/images/image-download.ts';
import { startImageFetcher } from '../../src/jobs/images/image-fetcher.ts';
import { beginFetches, keepFile } from '../../src/store/images/image-fetches.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { gif, png } from '../support/image-samples.ts';
import { receive, receiveRaw } from './receiver.ts';

/** An image as REST shows it, or why a request was refused. */
interface Shown extends Record<string, unknown> {
  readonly id: number;
  readonly url: string;
  readonly status: unknown;
  readonly updated_at: string;
  readonly error: string | null;
  readonly errors: readonly { field: string }[];
}

const MAX_BYTES = 10 * 1024 * 1024;
const POLL = { timeout: 60_000 };

const gateway = await ownGateway({ env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' } });
const { app } = gateway;
const { id: workspaceId, teamId } = await factories.workspace(app);
const caller = await factories.apiKey(app, { teamId });
const PICTURE = png(4, 3);

function start(options = {}) {
  const fetcher = startImageFetcher(app, { intervalMs: 10, ...options });
  onTestFinished(() => fetcher.close());
  return fetcher;
}

/** A server of files, until the test is finished. */
async function serve(listener: RequestListener) {
  const server = await receive(listener);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { server, url: `http://127.0.0.1:${server.port}/picture` };
}

async function send(method: string, path: string, body?: object, by = caller) {
  const headers = { 'Content-Type': 'application/json' };
  return gateway.send(`/api/v2${path}`, {
    caller: by,
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
}

const json = async (response: Response) => (await response.json()) as Shown;

async function create(url: string, of = workspaceId, by = caller) {
  const response = await send(
    'POST',
    `/workspaces/${of}/images`,
    {
      image: { upload_source_url: url, name: 'Tent' },
    },
    by,
  );
  expect(response.status).toBe(201);
  return json(response);
}

const get = async (id: number) => json(await send('GET', `/images/${id}`));

/** The image once its file was fetched, or has failed. */
async function settled(id: number) {
  await expect.poll(async () => (await get(id)).status, POLL).not.toBe('pending');
  return get(id);
}

/** The image whose source answers in this way. */
async function outcomeOf(listener: RequestListener, options = {}) {
  const { url } = await serve(listener);
  start(options);
  return settled((await create(url)).id);
}

const file = (url: string, options = {}) => gateway.send(new URL(url).pathname, options);

test('a picture is fetched once, measured, stored, and served at its URL', async () => {
  let requests = 0;
  const { url } = await serve((request, response) => {
    requests++;
    expect(request.headers).toMatchObject({ 'accept-encoding': 'identity' });
    response.writeHead(200, { 'content-type': 'text/html' }).end(PICTURE);
  });
  const created = await create(url);
  expect(created).toMatchObject({
    ...{ name: 'Tent', alt_text: null, upload_source_url: url, status: 'pending', error: null },
    ...{ width: null, height: null, byte_size: null, content_type: null },
    url: expect.stringMatching(new RegExp(`^http://localhost:4000/images/${workspaceId}/[0-9a-f]{64}$`)),
  });
  expect((await file(created.url)).status).toBe(404);
  const tag = (await send('GET', `/images/${created.id}`)).headers.get('etag');
  start();
  const image = await settled(created.id);
  expect(image).toMatchObject({
    ...{ status: 'ready', error: null, url: created.url, width: 4, height: 3 },
    ...{ byte_size: PICTURE.length, content_type: 'image/png' },
  });
  expect((await send('GET', `/images/${created.id}`)).headers.get('etag')).not.toBe(tag);
  expect(requests).toBe(1);
  const served = await file(image.url);
  expect(served.status).toBe(200);
  expect(Buffer.from(await served.arrayBuffer())).toEqual(PICTURE);
  expect(Object.fromEntries(served.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(PICTURE.length),
    'cache-control': 'public, max-age=86400',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining('sandbox'),
    'cross-origin-resource-policy': 'cross-origin',
    etag: expect.stringMatching(/^"[0-9a-f]+"$/),
  });
  const etag = served.headers.get('etag') ?? '';
  const again = await file(image.url, { headers: { 'If-None-Match': etag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
  const head = await file(image.url, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
    ...[200, String(PICTURE.length), ''],
  ]);
  expect((await file(image.url, { method: 'POST' })).status).toBe(405);
  expect((await send('DELETE', `/images/${image.id}`)).status).toBe(204);
  expect((await file(image.url)).status).toBe(404);
  const { rows } = await app.store.pool.query('select from image_chunks where image_id = $1', [image.id]);
  expect(rows).toEqual([]);
});

test('equal files of two images are two files with URLs that nobody can guess', async () => {
  const { url } = await serve((_, response) => void response.end(PICTURE));
  start();
  const [one, other] = [await create(url), await create(url)];
  await settled(one.id);
  await settled(other.id);
  expect(one.url).not.toBe(other.url);
  const token = one.url.slice(-64);
  const { id: elsewhere } = await factories.workspace(app);
  for (const path of [
    `${elsewhere}/${token}`,
    `${workspaceId}/${token.slice(1)}0`,
    `${workspaceId}/%27`,
    `x/${token}`,
    `${9n ** 30n}/${token}`,
  ])
    expect((await gateway.send(`/images/${path}`)).status).toBe(404);
});

test('a file of the largest size is stored in parts, and is returned unchanged', async () => {
  const large = Buffer.alloc(MAX_BYTES);
  for (let at = 0; at < large.length; at += 4) large.writeUInt32LE(at, at);
  gif(7, 5).copy(large);
  const image = await outcomeOf((_, response) => void response.end(large));
  expect(image).toMatchObject({ status: 'ready', byte_size: MAX_BYTES, content_type: 'image/gif', width: 7 });
  const served = await file(image.url);
  expect(Buffer.compare(Buffer.from(await served.arrayBuffer()), large)).toBe(0);
  // A client that has started to read it does not mistake a part of it for the complete file.
  const begun = (await file(image.url)).body?.getReader();
  await begun?.read();
  expect((await send('DELETE', `/images/${image.id}`)).status).toBe(204);
  await expect(
    (async () => {
      while ((await begun?.read())?.done === false);
    })(),
  ).rejects.toThrow('deleted');
});

describe('a fetch fails, and the image has the reason, for', () => {
  const answer =
    (status: number, headers: Record<string, string>, body: string | Buffer = ''): RequestListener =>
    (_, response) =>
      void response.writeHead(status, headers).end(body);

  test.each<[string, RequestListener, string, object?]>([
    ['a page', answer(200, { 'content-type': 'image/png' }, '<html>'), 'The file is not a whole PNG'],
    ['a picture that was cut short', answer(200, {}, PICTURE.subarray(0, 20)), 'The file is not a whole PNG'],
    [
      'a picture without its last part',
      answer(200, {}, PICTURE.subarray(0, -12)),
      'The file is not a whole PNG',
    ],
    ['a status that is an error', answer(404, {}, PICTURE), 'its status was not 200'],
    [
      'a header that promises too many pixels',
      answer(200, {}, png(2 ** 31 - 1, 2 ** 31 - 1)),
      '100 million pixels',
    ],
    ['a file of one byte too many', answer(200, {}, Buffer.alloc(MAX_BYTES + 1)), 'larger than 10 MB'],
    [
      'a file that never ends',
      (_, response) => {
        const write = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
          if (!response.destroyed) response.once('drain', write);
        };
        write();
      },
      'larger than 10 MB',
    ],
    ['a redirect to a dead port', answer(302, { location: 'http://127.0.0.1:1/' }), 'was refused'],
    [
      'a redirect to a private address',
      answer(302, { location: 'http://169.254.169.254/' }),
      'an address that images may not be fetched from',
    ],
    [
      'a redirect to an address of this machine',
      answer(302, { location: '//[::1]:1/' }),
      'an address that images may not be fetched from',
    ],
    [
      'a redirect to another scheme',
      answer(302, { location: 'file:///etc/passwd' }),
      'redirects to one that images are not fetched from',
    ],
    [
      'a redirect with a password',
      answer(302, { location: 'http://user:password@127.0.0.1:1/' }),
      'redirects to one that images are not fetched from',
    ],
    [
      'a redirect to no URL',
      answer(302, { location: 'http://[' }),
      'redirects to one that images are not fetched from',
    ],
    ['a redirect to nowhere', answer(302, {}), 'its status was not 200'],
    ['redirects in a circle', answer(302, { location: '/picture' }), 'more than five times'],
    [
      'a server that sends a byte now and then',
      (_, response) => {
        response.write(PICTURE.subarray(0, 8));
        const timer = setInterval(() => response.write('x'), 20);
        response.once('close', () => clearInterval(timer));
      },
      'took too long',
      { timeoutMs: 300 },
    ],
    [
      'a server that hangs up',
      (request) => void request.socket.destroy(),
      'closed before the answer was complete',
    ],
  ])('%s', async (_, listener, error, options = {}) => {
    const image = await outcomeOf(listener, options);
    expect(image).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(error),
      width: null,
      byte_size: null,
    });
    expect((await file(image.url)).status).toBe(404);
  });

  test('a server that does not answer', async () => {
    await using server = await receiveRaw(() => {});
    start({ timeoutMs: 200 });
    const image = await settled((await create(`http://127.0.0.1:${server.port}/`)).id);
    expect(image).toMatchObject({ status: 'failed', error: expect.stringContaining('took too long') });
  });

  test('a name with a private address, which is not connected to', async () => {
    await using inside = await receive((_, response) => void response.end(PICTURE), '127.0.0.2');
    const { createCheckedAgent } = await import('../../src/jobs/delivery/checked-agent.ts');
    const { allowedNetworks } = app.config.webhooks;
    start({
      agent: createCheckedAgent({ allowedNetworks, connectMs: 2_000, lookup: async () => ['127.0.0.2'] }),
    });
    const image = await settled((await create(`http://pictures.example:${inside.port}/`)).id);
    expect(image.error).toContain('an address that images may not be fetched from');
    expect(inside.connections).toBe(0);
  });
});

describe('redirects', () => {
  const toPath =
    (path: string): RequestListener =>
    (request, response) =>
      request.url === path
        ? void response.end(PICTURE)
        : void response.writeHead(307, { location: path }).end();

  test('on the same server are followed', async () => {
    expect((await outcomeOf(toPath('/elsewhere'))).status).toBe('ready');
  });

  test('to another port are followed', async () => {
    const { url } = await serve((_, response) => void response.end(PICTURE));
    const image = await outcomeOf((_, response) => void response.writeHead(302, { location: url }).end());
    expect(image).toMatchObject({ status: 'ready', upload_source_url: expect.not.stringMatching(url) });
  });

  test('to another host are followed, after a check of its addresses', async () => {
    await using inside = await receive((_, response) => void response.end(PICTURE), '127.0.0.2');
    const { url } = await serve((request, response) => {
      expect(request.headers.cookie).toBeUndefined();
      response.end(PICTURE);
    });
    const { createCheckedAgent } = await import('../../src/jobs/delivery/checked-agent.ts');
    const agent = createCheckedAgent({
      allowedNetworks: app.config.webhooks.allowedNetworks,
      connectMs: 2_000,
      lookup: async (name) => [name === 'cdn.example' ? '127.0.0.1' : '127.0.0.2'],
    });
    start({ agent });
    const outcomeAt = async (host: string, port: string | number) => {
      const location = `http://${host}:${port}/picture`;
      const source = await serve((_, response) => void response.writeHead(302, { location }).end());
      return settled((await create(source.url)).id);
    };
    expect((await outcomeAt('cdn.example', new URL(url).port)).status).toBe('ready');
    const refused = await outcomeAt('inside.example', inside.port);
    expect(refused.error).toContain('an address that images may not be fetched from');
    expect(inside.connections).toBe(0);
  });

  test('are followed five times', async () => {
    const steps =
      (count: number): RequestListener =>
      (request, response) => {
        const step = request.url === '/picture' ? 0 : Number(request.url?.slice(1));
        if (step === count) response.end(PICTURE);
        else response.writeHead(302, { location: `/${step + 1}` }).end();
      };
    expect((await outcomeOf(steps(5))).status).toBe('ready');
    expect((await outcomeOf(steps(6))).error).toContain('more than five times');
  });

  test.each([
    ['http://a.example', 'https://b.example', true],
    ['https://a.example', 'https://b.example', true],
    ['https://a.example', 'http://a.example', false],
    ['https://a.example', '//b.example', true],
  ])('from %s to %s: followed is %s', async (from, location, isFollowed) => {
    const agent = new MockAgent();
    onTestFinished(() => agent.close());
    agent.disableNetConnect();
    agent.get(from).intercept({ path: '/' }).reply(302, '', { headers: { location } });
    const target = new URL(location, from).origin;
    agent.get(target).intercept({ path: '/' }).reply(200, PICTURE);
    const bytes = download(agent, from, new AbortController().signal);
    if (isFollowed) expect(Buffer.compare(await bytes, PICTURE)).toBe(0);
    else await expect(bytes).rejects.toThrow('from https to http');
  });
});

test.each([
  'http://10.0.0.1/a.png',
  'http://[::1]/a.png',
  'http://127.0.0.2/a.png',
  'http://0x7f000002/',
  'http://user:password@example.com/a.png',
  'ftp://example.com/a.png',
  'data:image/png;base64,AAAA',
  'file:///etc/passwd',
])('%s can never be fetched: it is refused at once, at creation and in a change', async (url) => {
  const refused = await send('POST', `/workspaces/${workspaceId}/images`, {
    image: { upload_source_url: url },
  });
  expect([refused.status, (await json(refused)).errors[0]?.field]).toEqual([422, 'upload_source_url']);
  const { id } = await create('https://example.com/a.png');
  expect((await send('PUT', `/images/${id}`, { image: { upload_source_url: url } })).status).toBe(422);
  expect((await send('DELETE', `/images/${id}`)).status).toBe(204);
});

test('a new source is fetched, and gets another URL; a new name does not affect the file', async () => {
  let status = 200;
  const { url } = await serve((request, response) => {
    const body = request.url === '/picture' ? PICTURE : gif(9, 9);
    response.writeHead(status).end(body);
  });
  start();
  const { id } = await create(url);
  const first = await settled(id);
  const named = await json(
    await send('PUT', `/images/${id}`, { image: { name: 'Stove', upload_source_url: url } }),
  );
  expect(named).toEqual({ ...first, name: 'Stove', updated_at: named.updated_at });
  const changed = await json(
    await send('PUT', `/images/${id}`, { image: { upload_source_url: `${url}/2` } }),
  );
  expect(changed).toMatchObject({ status: 'pending', width: null, content_type: null });
  expect(changed.url).not.toBe(first.url);
  expect((await file(first.url)).status).toBe(404);
  expect(await settled(id)).toMatchObject({ status: 'ready', content_type: 'image/gif', url: changed.url });
  status = 500;
  await send('PUT', `/images/${id}`, { image: { upload_source_url: url } });
  expect(await settled(id)).toMatchObject({ status: 'failed', byte_size: null });
  // Again, because it failed.
  status = 200;
  await send('PUT', `/images/${id}`, { image: { upload_source_url: url } });
  expect(await settled(id)).toMatchObject({ status: 'ready', error: null, content_type: 'image/png' });
  const { rows } = await app.store.pool.query('select from image_chunks where image_id = $1', [id]);
  expect(rows).toHaveLength(1);
});

describe('workers', () => {
  test('of several processes fetch each image once', async () => {
    const asked: string[] = [];
    const { url } = await serve((request, response) => {
      asked.push(request.url ?? '');
      response.end(PICTURE);
    });
    const images = await Promise.all(Array.from({ length: 6 }, (_, index) => create(`${url}/${index}`)));
    for (let count = 0; count < 3; count++) start();
    for (const { id } of images) expect((await settled(id)).status).toBe('ready');
    expect(asked.sort()).toEqual(images.map((_, index) => `/picture/${index}`));
  });

  test('that stop release unfinished images, and others start them anew', async () => {
    let requests = 0;
    const { url } = await serve((_, response) => {
      requests++;
      if (requests > 1) response.end(PICTURE);
    });
    const stopped = start();
    const { id } = await create(url);
    await expect.poll(() => requests, POLL).toBe(1);
    await stopped.close();
    expect((await get(id)).status).toBe('pending');
    start();
    expect((await settled(id)).status).toBe('ready');
  });

  test('that were killed are replaced after a minute; late data of theirs is not mixed in', async () => {
    const { url } = await serve((_, response) => void response.end(PICTURE));
    const { id } = await create(url);
    const begin = () => beginFetches(app.store, [], { teams: [], workspaces: [] }, 10);
    const [killed] = await begin();
    expect(killed?.id).toBe(BigInt(id));
    expect(await begin()).toEqual([]);
    await app.store.pool.query('update images set fetch_at = now() where id = $1', [id]);
    start();
    const image = await settled(id);
    const late = { bytes: gif(1, 1), contentType: 'image/gif', width: 1, height: 1 };
    if (killed !== undefined) await keepFile(app.store, killed, late);
    expect(await get(id)).toEqual(image);
    expect(Buffer.from(await (await file(image.url)).arrayBuffer())).toEqual(PICTURE);
  });

  test('fetch the image of another workspace while the server of one does not answer', async () => {
    await using silent = await receiveRaw(() => {});
    const { url } = await serve((_, response) => void response.end(PICTURE));
    const other = await factories.workspace(app, { teamId });
    const waiting = await create(`http://127.0.0.1:${silent.port}/`);
    start();
    const { id } = await create(url, other.id);
    expect((await settled(id)).status).toBe('ready');
    expect((await get(waiting.id)).status).toBe('pending');
    expect((await send('DELETE', `/images/${waiting.id}`)).status).toBe(204);
  });
});

describe('sources that never answer', () => {
  const TIMEOUT_MS = 14_321;

  /**
   * Replaces the time limit of downloads. The first of two downloads would otherwise reach it before the second one has begun, on a busy machine.
   * @returns lets the limit of all that are under way pass
   */
  function controlTimeLimit(timeoutMs: number): () => void {
    const limits: AbortController[] = [];
    const real = AbortSignal.timeout;
    const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      if (ms !== timeoutMs) return real.call(AbortSignal, ms);
      const limit = new AbortController();
      limits.push(limit);
      return limit.signal;
    });
    onTestFinished(() => spy.mockRestore());
    return () => {
      for (const limit of limits.splice(0)) limit.abort(new DOMException('time limit', 'TimeoutError'));
    };
  }

  /** Workspaces of another team, each with images from a source that says nothing. */
  async function silence(workspaces: number, imagesEach: number) {
    const silent = await receiveRaw(() => {});
    onTestFinished(() => silent[Symbol.asyncDispose]());
    const silentTeam = await factories.team(app);
    const by = await factories.apiKey(app, { teamId: silentTeam.id });
    const images: { id: number; by: typeof by }[] = [];
    for (let count = 0; count < workspaces; count++) {
      const { id: of } = await factories.workspace(app, { teamId: silentTeam.id });
      for (let number = 0; number < imagesEach; number++)
        images.push({ id: (await create(`http://127.0.0.1:${silent.port}/${number}`, of, by)).id, by });
    }
    const statuses = async () =>
      Promise.all(
        images.map(
          async ({ id }) => (await json(await send('GET', `/images/${id}`, undefined, by)))['status'],
        ),
      );
    return { silent, statuses };
  }

  test('in four workspaces of a team do not delay the images of another team', async () => {
    const { silent, statuses } = await silence(4, 1);
    const { url } = await serve((_, response) => void response.end(PICTURE));
    start();
    await expect.poll(() => silent.connections, POLL).toBe(2);
    expect((await settled((await create(url)).id)).status).toBe('ready');
    expect(await statuses()).toEqual(Array(4).fill('pending'));
    expect(silent.connections).toBe(2);
  });

  test('of several teams alternate with those of others, the longest waiting first', async () => {
    const [one, other] = [await silence(3, 2), await silence(3, 2)];
    const { url } = await serve((_, response) => void response.end(PICTURE));
    const { id } = await create(url);
    start();
    expect((await settled(id)).status).toBe('ready');
    expect(one.silent.connections + other.silent.connections).toBeLessThanOrEqual(4);
  });

  test('are retried only after a while, and images from other hosts do not wait for them', async () => {
    const { url } = await serve((_, response) => void response.end(PICTURE));
    await using silent = await receiveRaw(() => {});
    const from = (path: string) => create(`http://127.0.0.1:${silent.port}${path}`);
    const waiting = [await from('/1'), await from('?2'), await from('/3'), await from('/4')];
    const { id } = await create(url);
    const pass = controlTimeLimit(TIMEOUT_MS);
    start({ timeoutMs: TIMEOUT_MS });
    const statuses = async () => Promise.all(waiting.map(async (image) => (await get(image.id)).status));
    await expect.poll(() => silent.connections, POLL).toBe(2);
    pass();
    await expect.poll(statuses, POLL).toEqual(['failed', 'failed', 'pending', 'pending']);
    expect((await settled(id)).status).toBe('ready');
    expect(silent.connections).toBe(2);
    await app.store.pool.query("update images set fetch_at = now() where status = 'pending'");
    await expect.poll(() => silent.connections, POLL).toBe(4);
    pass();
    for (const image of waiting) expect((await settled(image.id)).error).toContain('took too long');
  });
});

test('a popular image, under any spelling of its workspace, leaves cache space for others', async () => {
  const { url } = await serve((_, response) => void response.end(PICTURE));
  const other = await factories.workspace(app, { teamId });
  const made = [await create(url), await create(url, other.id)];
  start();
  const [popular, quiet] = await Promise.all(made.map(async ({ id }) => new URL((await settled(id)).url)));
  if (popular === undefined || quiet === undefined) throw new Error('No images');
  const spelled = ['', '0', '00', '000'].map((zeros) =>
    popular.pathname.replace('/images/', `/images/${zeros}`),
  );
  const asked = spelled.flatMap((path) => Array.from({ length: 200 }, () => gateway.send(path)));
  const status = async (answer: Promise<Response>) => (await answer).status;
  const [calm, ...statuses] = await Promise.all([gateway.send(quiet.pathname), ...asked].map(status));
  expect(calm).toBe(200);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
});

test('the files of one workspace have a gigabyte together', async () => {
  const { url } = await serve((_, response) => void response.end(PICTURE));
  const full = await factories.workspace(app, { teamId });
  const large = await create('https://example.com/large.png', full.id);
  await app.store.pool.query(
    `update images set status = 'ready', content_type = 'image/png', width = 1, height = 1, byte_size = $2 where id = $1`,
    [large.id, 1024 ** 3 - PICTURE.length + 1],
  );
  start();
  const refused = await settled((await create(url, full.id)).id);
  expect(refused).toMatchObject({ status: 'failed', error: expect.stringContaining('larger than 1 GB') });
  await send('DELETE', `/images/${large.id}`);
  expect((await settled((await create(url, full.id)).id)).status).toBe('ready');
});
