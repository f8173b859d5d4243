import { useGraphiQL } from '@graphiql/react';
import { useSyncExternalStore } from 'react';

const dark = matchMedia('(prefers-color-scheme: dark)');

function subscribe(listener: () => void): () => void {
  dark.addEventListener('change', listener);
  return () => dark.removeEventListener('change', listener);
}

/** The colours of the page: those chosen in GraphiQL's settings, else the system's. */
export function useColorScheme(): 'light' | 'dark' {
  const chosen = useGraphiQL((state) => state.theme);
  const isDark = useSyncExternalStore(subscribe, () => dark.matches);
  return chosen ?? (isDark ? 'dark' : 'light');
}
