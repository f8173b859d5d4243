// The form of the explorer's examples.
export interface Example {
  title: string;
  query: string;
  variables: string;
}

/** Variables as they stand in their pane. */
export function variables(values: Record<string, unknown>): string {
  return JSON.stringify(values, null, 2);
}
