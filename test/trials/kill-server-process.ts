// A crash of PostgreSQL: one of its processes is killed, whereupon all others end and it recovers from its log.
import pg from 'pg';

/** Kills one of the processes that serve connections, one that is at work if there is any; none while it is still recovering. */
export async function killServerProcess(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()
        order by state = 'active' desc, random() limit 1`,
    );
    const [victim] = rows;
    if (victim !== undefined) process.kill(victim.pid, 'SIGKILL');
  } catch {
    // It is still recovering from the one before.
  } finally {
    await client.end().catch(() => {});
  }
}
