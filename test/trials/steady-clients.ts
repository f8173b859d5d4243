// Clients that ask all the time, some over connections that they keep and some over a new one each time, and say which failed and from
// which port.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

interface Failed {
  readonly port: number;
  readonly code: string;
  readonly at: number;
}

export interface Clients {
  answered(): number;
  readonly failed: readonly Failed[];
  /** Statuses other than 200. */
  readonly refused: readonly number[];
  stop(): Promise<void>;
}

/** Starts them. @param keeping, opening how many keep their connections, and how many do not; @param pauseMs before each request */
export function startClients(
  url: string,
  headers: Record<string, string>,
  { keeping, opening, pauseMs = 0 }: { keeping: number; opening: number; pauseMs?: number },
): Clients {
  let [answered, isOver] = [0, false];
  const [failed, refused]: [Failed[], number[]] = [[], []];

  async function client(keepAlive: boolean): Promise<void> {
    const agent = new Agent({ keepAlive, maxSockets: 1 });
    while (!isOver) {
      if (pauseMs > 0) await sleep(pauseMs);
      await new Promise<void>((done) => {
        let port = 0;
        const fail = ({ code = 'none' }: NodeJS.ErrnoException) => {
          failed.push({ port, code, at: performance.now() });
          done();
        };
        const sent = request(url, { agent, headers }, (response) => {
          if (response.statusCode !== 200) refused.push(response.statusCode ?? 0);
          response.on('error', fail).on('end', () => {
            answered += 1;
            done();
          });
          response.resume();
        });
        sent.on('socket', (socket) => {
          const note = () => {
            port = socket.localPort ?? 0;
          };
          if (socket.connecting) socket.once('connect', note);
          else note();
        });
        sent.on('error', fail);
        sent.end();
      });
    }
    agent.destroy();
  }

  const all = [
    ...Array.from({ length: keeping }, () => client(true)),
    ...Array.from({ length: opening }, () => client(false)),
  ];
  return {
    ...{ failed, refused },
    answered: () => answered,
    async stop() {
      isOver = true;
      await Promise.all(all);
    },
  };
}
