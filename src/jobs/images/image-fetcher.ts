// Fetches the files of images in the background. Any number of processes may do so (src/store/images/image-fetches.ts).
import type { App } from '../../context.ts';
import {
  beginFetches,
  failFetch,
  giveBackFetch,
  type ImageFetch,
  keepFile,
  postponeHost,
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
/** How many files are fetched at a time: so many may be in memory. */
const AT_ONCE = 4;
/** How many of them are of one team, so that sources that never answer hold up the other images of their team alone. */
const AT_ONCE_PER_TEAM = 2;
/** How many teams and workspaces are remembered in the order of their turns. */
const MAX_TURNS = 1_000;
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
      if (stopping.signal.aborted) return giveBackFetch(store, fetch);
      throw error;
    }
  }

  function start(fetch: ImageFetch): void {
    const { teamId, workspaceId, id } = fetch;
    putLast(teams, teamId);
    putLast(workspaces, workspaceId);
    const done = fetchFile(fetch)
      // It is begun again by whoever comes next.
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
    return [...counts].flatMap(([teamId, count]) => (count < AT_ONCE_PER_TEAM ? [] : [teamId]));
  }

  const looking = repeat(log, 'looking for images to fetch', intervalMs, async () => {
    while (running.size < AT_ONCE && !stopping.signal.aborted) {
      const turns = { teams: [...teams], workspaces: [...workspaces] };
      const begun = await beginFetches(store, busyTeams(), turns, AT_ONCE - running.size);
      if (begun.length === 0) break;
      for (const fetch of begun) start(fetch);
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

/** Notes a turn behind all others. */
function putLast(turns: Set<bigint>, id: bigint): void {
  turns.delete(id);
  turns.add(id);
  if (turns.size > MAX_TURNS) for (const oldest of turns.values()) return void turns.delete(oldest);
}
