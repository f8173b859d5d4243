// The processes of a gateway, over node:cluster: the primary starts them, replaces those that end, and gives up when one does not come up
// again and again. All of them accept connections from one listening socket: what waits there is lost with none of them.
import cluster, { type Worker } from 'node:cluster';
import { StartupError } from '../../errors.ts';
import type { Logger } from '../../output/log.ts';
import type { OfPrimary, OfWorker } from './calls.ts';
import { type Channel, createChannel } from './channel.ts';

export interface WorkerPool {
  /** The port, once every process listens. @throws StartupError what stands in the way */
  readonly started: Promise<number>;
  /** Rejects with a StartupError when a process does not come up any more. */
  readonly failed: Promise<never>;
  /** Those that can be asked something. */
  channels(): Map<number, Channel<OfWorker>>;
  /** Lets all of them end what they have under way. @param atMostMs after that they are killed */
  stop(atMostMs: number): Promise<void>;
}

interface PoolOptions {
  readonly count: number;
  /** The port of the configuration. */
  readonly port: number;
  readonly log: Logger;
  /** What a process is to do, once that is known. */
  readonly assign: (isFirst: boolean, port: number) => ReturnType<OfPrimary['assignment']>;
  /** What processes may ask beside that. */
  readonly answers: (id: number) => Pick<OfPrimary, 'lease' | 'redeem'>;
  readonly onEnded: (id: number) => void;
}

/** A place in the pool, with the process that has it. */
interface Slot {
  readonly isFirst: boolean;
  member: Member | null;
  /** How often in a row a process has ended before it listened. */
  failedStarts: number;
  /** Whether the system has not started one when it was asked last. */
  isMissing: boolean;
  timer: NodeJS.Timeout | undefined;
}

interface Member {
  readonly worker: Worker;
  readonly channel: Channel<OfWorker>;
  readonly ended: PromiseWithResolvers<void>;
  /** Whether it has asked for something: then it hears what it is told. */
  isListeningTo: boolean;
  listensSince: number | null;
  /** Why it could not start, as it said. */
  reason: string | null;
}

const MAX_FAILED_STARTS = 5;
/** Where the system starts no process, which passes, it is asked again after so long. */
const START_AGAIN_MS = 1_000;
const FIRST_PAUSE_MS = 250;
/** One that ends sooner after it began to listen is replaced after a pause, lest the machine does nothing else. */
const SHORT_LIFE_MS = 1_000;

/** Starts the processes. */
export function createWorkerPool(options: PoolOptions): WorkerPool {
  const { count, log } = options;
  const [started, failed] = [Promise.withResolvers<number>(), Promise.withResolvers<never>()];
  for (const { promise } of [started, failed]) promise.catch(() => {});
  const slots: Slot[] = Array.from({ length: count }, (_, index) => {
    return { isFirst: index === 0, member: null, failedStarts: 0, isMissing: false, timer: undefined };
  });
  /** What is listened on: of PORT=0 what the system has chosen, while one of the processes holds it. */
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

  /** For want of memory, processes or file handles the system starts none. While there are others, that ends nobody. */
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
      ...options.answers(worker.id),
      assignment() {
        member.isListeningTo = true;
        // The socket is known by the port that was asked for, as long as there is one.
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
      // Of what has not begun no end is told: not to the cluster either, which would keep it.
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

  // Every process accepts by itself: node's other way sends each connection through the primary.
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
