// Fetches the files of images in the background. Any number of processes may do so (src/store/images/image-fetches.ts).
import type { App } from '../../context.ts';
import {
  beginFetches,
  failFetch,
  type ImageFetch,
  keepFile,
  postponeHost,
  returnFetch,
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
  /** How often the fetcher looks for due images. */
  readonly intervalMs?: number;
}

const INTERVAL_MS = 1_000;
/** The maximum of concurrent downloads, whose files are in memory. */
const MAX_CONCURRENT = 4;
/** The maximum of one team, so that sources that never answer delay only images of their team. */
const MAX_CONCURRENT_PER_TEAM = 2;
/** The maximum of teams, and of workspaces, whose order of service the fetcher remembers. */
const MAX_REMEMBERED = 1_000;
const CONNECT_MS = 5_000;

/** Starts the fetcher. While the database is unavailable it keeps trying. */
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
  const running = new Map<ImageFetch, Promise<void>>();
  const [teams, workspaces] = [new Set<bigint>(), new Set<bigint>()];

  async function fetchFile(fetch: ImageFetch): Promise<void> {
    try {
      const bytes = await download(agent.dispatcher, fetch.sourceUrl, stopping.signal, timeoutMs);
      const hasRoom = await keepFile(store, fetch, { bytes, ...readImageHeader(bytes) });
      if (!hasRoom) throw new ImageFailure('noRoom');
    } catch (error) {
      if (error instanceof ImageFailure) {
        await failFetch(store, fetch, error.message);
        if (error.isTimeout) await postponeHost(store, fetch);
        return;
      }
      if (stopping.signal.aborted) return returnFetch(store, fetch);
      throw error;
    }
  }

  function start(fetch: ImageFetch): void {
    const { teamId, workspaceId, id } = fetch;
    moveToEnd(teams, teamId);
    moveToEnd(workspaces, workspaceId);
    const done = fetchFile(fetch)
      // A later run, in any process, begins the fetch again.
      .catch((error: unknown) =>
        log.warn({ err: error, image: String(id) }, 'an image is fetched again later'),
      )
      .finally(() => {
        running.delete(fetch);
        looking.soon();
      });
    running.set(fetch, done);
  }

  function busyTeams(): readonly bigint[] {
    const counts = new Map<bigint, number>();
    for (const { teamId } of running.keys()) counts.set(teamId, (counts.get(teamId) ?? 0) + 1);
    return [...counts].flatMap(([teamId, count]) => (count < MAX_CONCURRENT_PER_TEAM ? [] : [teamId]));
  }

  const looking = repeat(log, 'looking for images to fetch', intervalMs, async () => {
    while (running.size < MAX_CONCURRENT && !stopping.signal.aborted) {
      const order = { teams: [...teams], workspaces: [...workspaces] };
      const fetches = await beginFetches(store, busyTeams(), order, MAX_CONCURRENT - running.size);
      if (fetches.length === 0) break;
      for (const fetch of fetches) start(fetch);
    }
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

/** Moves a team or a workspace to the end of the order. */
function moveToEnd(turns: Set<bigint>, id: bigint): void {
  turns.delete(id);
  turns.add(id);
  if (turns.size > MAX_REMEMBERED) for (const oldest of turns.values()) return void turns.delete(oldest);
}
