// Detects whether a new connection leads to the server that is already known. Clients can cause connections to be opened and closed
// (readers.ts). That must not discard what is known of a server: otherwise one team's aborted reads could keep all teams from using
// replicas.

/** Notified of the connections to one server. */
export interface RunningServer {
  /** A connection was opened. @param instance unique to this server and its current start (session.ts) */
  opened(instance: string): void;
  /** A connection was lost, or could not be opened. */
  lost(): void;
}

/**
 * @param onChange called when what is known may be outdated: a connection was lost, or a new one leads to another server, or to this one
 * after a restart
 */
export function createRunningServer(onChange: () => void): RunningServer {
  let known: string | null = null;

  return {
    opened(instance) {
      if (instance === known) return;
      known = instance;
      onChange();
    },
    lost() {
      known = null;
      onChange();
    },
  };
}
