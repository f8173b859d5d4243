// Whether new connections lead to the server that is known already. Requests open connections and have them closed (readers.ts): what
// is known of a server must not be void because of that, or one team's aborted reads could keep everybody's from replicas.

/** A server, of which connections tell. */
export interface RunningServer {
  /** A connection has been opened. @param instance what no other server has, nor this one after its next start (session.ts) */
  opened(instance: string): void;
  /** A connection was lost, or could not be opened. */
  lost(): void;
}

/** @param onChange called when what is known may be void: a connection was lost, or a new one leads to another server or another start of it */
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
