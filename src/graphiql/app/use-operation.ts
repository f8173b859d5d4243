import { useGraphiQL } from '@graphiql/react';
import type { Operation } from './operation-link.ts';

/** Returns a function that reads the current operation from the editors, never the headers. */
export function useOperation(): () => Operation {
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  const operations = useGraphiQL((state) => state.operations);
  const operationName = useGraphiQL((state) => state.operationName);
  return () => ({
    query: queryEditor?.getValue() ?? '',
    variables: variableEditor?.getValue() ?? '',
    operationName: (operations?.length ?? 0) > 1 ? (operationName ?? '') : '',
  });
}
