// A value to which React components subscribe (useSyncExternalStore).

export function observed<Value>(initial: Value) {
  let current = initial;
  const listeners = new Set<() => void>();
  return {
    get: (): Value => current,
    set(next: Value): void {
      current = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
