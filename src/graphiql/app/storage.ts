// Stores GraphiQL's state between visits (tabs, history, theme) in localStorage, but never a request header: GraphiQL's history
// would otherwise keep an Authorization header that was typed into the headers editor.
import type { Storage as GraphiqlStorage } from '@graphiql/toolkit';

export const storage: GraphiqlStorage = {
  get length() {
    return localStorage.length;
  },
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, value) => localStorage.setItem(key, withoutHeaders(value)),
  removeItem: (key) => localStorage.removeItem(key),
  clear: () => localStorage.clear(),
};

function withoutHeaders(value: string): string {
  if (!value.startsWith('{')) return value;
  try {
    return JSON.stringify(
      JSON.parse(value, (key, held) => (key === 'headers' && typeof held === 'string' ? null : held)),
    );
  } catch {
    return value;
  }
}
