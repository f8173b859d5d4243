// The processor time of processes, as /proc shows it.
import { readdir, readFile } from 'node:fs/promises';

/** Processor time of processes with all of their threads, in milliseconds (/proc/PID/task/TID/schedstat). */
export async function processorMs(pids: readonly number[]): Promise<number> {
  let total = 0;
  for (const pid of pids)
    for (const id of await readdir(`/proc/${pid}/task`))
      total += Number((await readFile(`/proc/${pid}/task/${id}/schedstat`, 'utf8')).split(' ')[0]) / 1e6;
  return total;
}
