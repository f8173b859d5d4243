// A gateway of several processes, as /proc shows it: its workers, their processor time, and the connections that each has accepted.
import { readdir, readFile, readlink } from 'node:fs/promises';

/** The processes that a primary has started. */
export async function workersOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

/** Processor time of processes with all of their threads, in milliseconds (/proc/PID/task/TID/schedstat). */
export async function processorMs(pids: readonly number[]): Promise<number> {
  let total = 0;
  for (const pid of pids)
    for (const id of await readdir(`/proc/${pid}/task`))
      total += Number((await readFile(`/proc/${pid}/task/${id}/schedstat`, 'utf8')).split(' ')[0]) / 1e6;
  return total;
}

/** The ports of the clients whose connections to `port` a process has accepted. */
export async function acceptedBy(pid: number, port: number): Promise<Set<number>> {
  const links = await Promise.all(
    (await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')),
  );
  const inodes = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
  const clients = new Set<number>();
  for (const line of (await readFile('/proc/net/tcp', 'utf8')).split('\n').slice(1)) {
    const [, local = '', remote = '', state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const portOf = (address: string) => Number.parseInt(address.split(':')[1] ?? '', 16);
    // A listening socket has no other side.
    if (state !== '0A' && portOf(local) === port && inodes.has(inode)) clients.add(portOf(remote));
  }
  return clients;
}
