// Detects whether a new connection leads to the same server as before. Clients can cause connections to be opened and closed (readers.ts).
// Cached facts about the server must survive that: otherwise one team's aborted reads could keep all teams from using replicas.

/** Notified of each connection that is opened. @param instance unique to the server and its current start (session.ts) */
export type RunningServer = (instance: string) => void;

/** @param onChange called when cached facts may be outdated: a connection leads to another server, or to this one after a restart */
export function createRunningServer(onChange: () => void): RunningServer {
  let known: string | null = null;
  return (instance) => {
    if (instance === known) return;
    known = instance;
    onChange();
  };
}
