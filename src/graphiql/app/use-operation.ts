import { useGraphiQL } from '@graphiql/react';
import type { Operation } from './operation-link.ts';

/** A function that reads what the editors hold now: never the headers. */
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
