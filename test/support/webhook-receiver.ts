// A receiver of webhooks: a real server on loopback that records what arrived.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly payload: {
    event_id: string;
    event_type: string;
    subject_id: number;
    data: Record<string, unknown>;
  } & Record<string, unknown>;
}

/** The answer of a receiver: a status, or a complete answer, or `null` for none ever. */
type Answer = number | { status: number; headers?: Record<string, string>; body?: string } | null;

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** The highest number of concurrent deliveries. */
  readonly maxUnderWay: () => number;
  /** The answer from now on. */
  answer: (received: Received, index: number) => Answer | Promise<Answer>;
  close(): Promise<void>;
}

/** A receiver that answers 200 until it is changed. */
export async function createReceiver(): Promise<Receiver> {
  let underWay = 0;
  let maxUnderWay = 0;
  const server = createServer(async (request, response) => {
    underWay += 1;
    maxUnderWay = Math.max(maxUnderWay, underWay);
    response.on('close', () => {
      underWay -= 1;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const one = { path: request.url ?? '', headers: request.headers, body, payload: JSON.parse(body) };
    const index = receiver.received.push(one) - 1;
    const answer = await receiver.answer(one, index);
    if (answer === null) return;
    const {
      status,
      headers = {},
      body: text = '',
    } = typeof answer === 'number' ? { status: answer } : answer;
    response.writeHead(status, headers).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    maxUnderWay: () => maxUnderWay,
    answer: () => 200,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
