// How fast this machine delivers a backlog of pg-boss: batches of jobs, each with a whole payload, are fetched, posted and completed,
// several at a time. Nothing is signed, nothing is kept of the answers. Begins when it is asked to, and answers when the queue is empty.
import { createServer } from 'node:http';
import { env } from 'node:process';
import { PgBoss } from 'pg-boss';
import { Agent, request } from 'undici';
import { LOOP_QUEUE, LOOP_SCHEMA, type LoopJob } from '../webhooks/loop-jobs.ts';

const { DATABASE_URL = '', POOL_SIZE = '10', PORT } = env;
/** Together as many as a worker has under way of twenty endpoints. Of 1 x 200 to 20 x 10 this was the fastest. */
const [LOOPS, BATCH] = [2, 100];

const boss = new PgBoss({
  connectionString: DATABASE_URL,
  schema: LOOP_SCHEMA,
  max: Number(POOL_SIZE),
  migrate: false,
  supervise: false,
  schedule: false,
});
boss.on('error', (error) => process.stderr.write(`${error.stack}\n`));
await boss.start();
const dispatcher = new Agent();

async function post({ url, body }: LoopJob): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await request(url, { method: 'POST', headers, body, dispatcher });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
}

async function drain(): Promise<void> {
  for (;;) {
    const jobs = await boss.fetch<LoopJob>(LOOP_QUEUE, { batchSize: BATCH });
    if (jobs.length === 0) return;
    await Promise.all(jobs.map(({ data }) => post(data)));
    await boss.complete(
      LOOP_QUEUE,
      jobs.map(({ id }) => id),
    );
  }
}

createServer((_, response) => {
  Promise.all(Array.from({ length: LOOPS }, drain)).then(
    () => response.writeHead(200, { 'Content-Length': 0 }).end(),
    (error: unknown) => {
      process.stderr.write(`${error}\n`);
      response.writeHead(500, { 'Content-Length': 0 }).end();
    },
  );
}).listen(Number(PORT), '127.0.0.1');
