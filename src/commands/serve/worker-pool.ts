// The workers of a gateway, over node:cluster. The primary starts them, replaces those that end, and gives up when one repeatedly fails
// to start. All of them accept connections from one listening socket, so waiting connections are not lost when a worker ends.
import cluster, { type Worker } from 'node:cluster';
import { StartupError } from '../../errors.ts';
import type { Logger } from '../../output/log.ts';
import type { OfPrimary, OfWorker } from './calls.ts';
import { type Channel, createChannel } from './channel.ts';

export interface WorkerPool {
  /** Resolves with the port when every worker listens. @throws StartupError saying why it cannot */
  readonly started: Promise<number>;
  /** Rejects with a StartupError when a worker repeatedly fails to start. */
  readonly failed: Promise<never>;
  /** The channels of workers that can be called. */
  channels(): Map<number, Channel<OfWorker>>;
  /** Lets all workers finish their running requests. @param atMostMs after this time they are killed */
  stop(atMostMs: number): Promise<void>;
}

interface PoolOptions {
  readonly count: number;
  /** The port of the configuration. */
  readonly port: number;
  readonly log: Logger;
  /** The task of a worker, once it is known. */
  readonly assign: (isFirst: boolean, port: number) => ReturnType<OfPrimary['assignment']>;
  /** The other calls that a worker may make. */
  readonly answers: Omit<OfPrimary, 'assignment' | 'listening' | 'failed'>;
  readonly onEnded: (id: number) => void;
}

/** A slot in the pool, with its process. */
interface Slot {
  readonly isFirst: boolean;
  member: Member | null;
  /** The number of consecutive processes that ended before they listened. */
  failedStarts: number;
  /** Whether the last attempt to start a process failed in the operating system. */
  isMissing: boolean;
  timer: NodeJS.Timeout | undefined;
}

interface Member {
  readonly worker: Worker;
  readonly channel: Channel<OfWorker>;
  readonly ended: PromiseWithResolvers<void>;
  /** Whether it has made a call: from then on it also receives calls. */
  isListeningTo: boolean;
  listensSince: number | null;
  /** The reason why it could not start, as it reported. */
  reason: string | null;
}

const MAX_FAILED_STARTS = 5;
/** The pause before another attempt when the operating system cannot start a process, which is usually temporary. */
const START_AGAIN_MS = 1_000;
const FIRST_PAUSE_MS = 250;
/** A worker that ends sooner than this after it began to listen is replaced after a pause, so that restarts do not use up the machine. */
const SHORT_LIFE_MS = 1_000;

/** Starts the processes. */
export function createWorkerPool(options: PoolOptions): WorkerPool {
  const { count, log } = options;
  const [started, failed] = [Promise.withResolvers<number>(), Promise.withResolvers<never>()];
  for (const { promise } of [started, failed]) promise.catch(() => {});
  const slots: Slot[] = Array.from({ length: count }, (_, index) => {
    return { isFirst: index === 0, member: null, failedStarts: 0, isMissing: false, timer: undefined };
  });
  /** The port in use: with PORT=0 the system's choice, for as long as a worker holds it. */
  let boundPort: number | null = null;
  let hasStarted = false;
  let isStopping = false;

  const members = () => slots.flatMap(({ member }) => member ?? []);
  const serving = () => members().filter(({ listensSince }) => listensSince !== null);

  function giveUp(message: string): void {
    const error = new StartupError(message);
    started.reject(error);
    failed.reject(error);
  }

  /**
   * The operating system started no process, for lack of memory, processes or file handles. While other workers run, this ends nothing.
   */
  function tryAgain(slot: Slot, error: Error): void {
    if (!hasStarted) giveUp(`A worker could not be started: ${error.message}.`);
    if (!slot.isMissing) log.error({ err: error }, 'a worker could not be started: it is tried again');
    slot.isMissing = true;
    slot.timer = setTimeout(() => fork(slot), START_AGAIN_MS);
  }

  function fork(slot: Slot): void {
    try {
      supervise(slot, cluster.fork());
    } catch (error) {
      tryAgain(slot, error as Error);
    }
  }

  function supervise(slot: Slot, worker: Worker): void {
    const answers: OfPrimary = {
      ...options.answers,
      assignment() {
        member.isListeningTo = true;
        // node:cluster identifies the shared socket by the requested port, as long as a worker has it open.
        const port = boundPort !== null && serving().length === 0 ? boundPort : options.port;
        return options.assign(slot.isFirst, port);
      },
      listening(port) {
        member.listensSince = performance.now();
        slot.failedStarts = 0;
        slot.isMissing = false;
        boundPort ??= port;
        if (serving().length < count) return;
        hasStarted = true;
        started.resolve(boundPort);
      },
      failed(message) {
        member.reason = message;
        if (!hasStarted) giveUp(message);
      },
    };
    const member: Member = {
      ...{ worker, channel: createChannel<OfWorker>(worker, answers), ended: Promise.withResolvers<void>() },
      ...{ isListeningTo: false, listensSince: null, reason: null },
    };
    slot.member = member;
    const { pid } = worker.process;
    const leave = () => {
      member.channel.close();
      member.ended.resolve();
      slot.member = null;
      options.onEnded(worker.id);
    };
    worker.on('error', (error) => {
      if (pid !== undefined) return log.error({ err: error }, 'a worker could not be reached');
      // A process that never started emits no exit event. The cluster module gets none either, and would keep it in its list.
      delete cluster.workers?.[worker.id];
      leave();
      if (!isStopping) tryAgain(slot, error);
    });
    worker.once('exit', (code: number | null, signal: string | null) => {
      leave();
      if (!isStopping) replace(slot, member, { pid, code, signal });
    });
  }

  function replace(slot: Slot, { listensSince, reason }: Member, how: object): void {
    const lifeMs = listensSince === null ? 0 : performance.now() - listensSince;
    if (listensSince === null) slot.failedStarts += 1;
    const why = reason === null ? '' : ` ${reason}`;
    if (slot.failedStarts >= MAX_FAILED_STARTS) {
      giveUp(`A worker has ended ${MAX_FAILED_STARTS} times before it could serve; the log says how.${why}`);
      return;
    }
    log.error({ ...how, ...(reason !== null && { reason }) }, 'a worker has ended: it is replaced');
    const pauseMs = lifeMs >= SHORT_LIFE_MS ? 0 : FIRST_PAUSE_MS * 2 ** Math.max(0, slot.failedStarts - 1);
    slot.timer = setTimeout(() => fork(slot), pauseMs);
  }

  // Every worker accepts connections itself: node's default sends each connection through the primary.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  for (const slot of slots) fork(slot);

  return {
    started: started.promise,
    failed: failed.promise,
    channels: () => new Map(serving().map(({ worker, channel }) => [worker.id, channel])),
    async stop(atMostMs) {
      isStopping = true;
      for (const { timer } of slots) clearTimeout(timer);
      const kill = () => {
        for (const { worker } of members()) worker.process.kill('SIGKILL');
      };
      for (const { worker, channel, isListeningTo } of members())
        if (isListeningTo) channel.ask('stop').catch(() => {});
        else worker.process.kill('SIGKILL');
      const timer = setTimeout(kill, atMostMs);
      await Promise.all(members().map(({ ended }) => ended.promise));
      clearTimeout(timer);
    },
  };
}
