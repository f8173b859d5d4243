import { useMemo } from 'react';

/** What `derive` finds in the data of an answer; undefined if the answer is no JSON. */
export function useData<Found>(response: string, derive: (data: unknown) => Found): Found | undefined {
  return useMemo(() => {
    try {
      return derive((JSON.parse(response) as { data?: unknown }).data ?? null);
    } catch {
      return undefined;
    }
  }, [response, derive]);
}
