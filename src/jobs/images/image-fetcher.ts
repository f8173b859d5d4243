// Fetches the files of images in the background. Any number of processes may do so (src/store/images/image-fetches.ts).
import type { App } from '../../context.ts';
import {
  beginFetches,
  failFetch,
  giveBackFetch,
  type ImageFetch,
  keepFile,
} from '../../store/images/image-fetches.ts';
import { type CheckedAgent, createCheckedAgent } from '../delivery/checked-agent.ts';
import { type Background, repeat } from '../repeat.ts';
import { download } from './image-download.ts';
import { ImageFailure } from './image-errors.ts';
import { readImageHeader } from './image-header.ts';

interface FetcherOptions {
  /** The proxy for all requests. */
  readonly proxy?: string | undefined;
  readonly agent?: CheckedAgent;
  /** The time for one file. */
  readonly timeoutMs?: number;
  /** How often images that are due are looked for. */
  readonly intervalMs?: number;
}

const INTERVAL_MS = 1_000;
/** How many files are fetched at a time, each of another workspace: so many may be in memory. */
const AT_ONCE = 4;
const CONNECT_MS = 5_000;

/** Starts it. While the database is unavailable it keeps trying. */
export function startImageFetcher(
  app: App,
  {
    proxy,
    agent = createCheckedAgent({
      ...{ allowedNetworks: app.config.webhooks.allowedNetworks, proxy },
      connectMs: CONNECT_MS,
    }),
    timeoutMs,
    intervalMs = INTERVAL_MS,
  }: FetcherOptions = {},
): Background {
  const { store, log } = app;
  const stopping = new AbortController();
  /** By workspace. */
  const running = new Map<bigint, Promise<void>>();

  async function fetchFile(fetch: ImageFetch): Promise<void> {
    try {
      const bytes = await download(agent.dispatcher, fetch.sourceUrl, stopping.signal, timeoutMs);
      const hasRoom = await keepFile(store, fetch, { bytes, ...readImageHeader(bytes) });
      if (!hasRoom) throw new ImageFailure('noRoom');
    } catch (error) {
      if (error instanceof ImageFailure) return failFetch(store, fetch, error.message);
      if (stopping.signal.aborted) return giveBackFetch(store, fetch);
      throw error;
    }
  }

  function start(fetch: ImageFetch): void {
    const { workspaceId, id } = fetch;
    const done = fetchFile(fetch)
      // It is begun again by whoever comes next.
      .catch((error: unknown) =>
        log.warn({ err: error, image: String(id) }, 'an image is fetched again later'),
      )
      .finally(() => {
        running.delete(workspaceId);
        looking.soon();
      });
    running.set(workspaceId, done);
  }

  const looking = repeat(log, 'looking for images to fetch', intervalMs, async () => {
    const free = AT_ONCE - running.size;
    if (free > 0) for (const fetch of await beginFetches(store, [...running.keys()], free)) start(fetch);
    return undefined;
  });

  return {
    async close() {
      stopping.abort();
      await looking.close();
      await Promise.all(running.values());
      await agent.close();
    },
  };
}
