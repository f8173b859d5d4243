import { useGraphiQLActions } from '@graphiql/react';
import { useEffect } from 'react';
import { startingOperationName } from './starting-tabs.ts';

const operationName = startingOperationName();

/** Of a document with several operations, chooses the one that a link names, or that was chosen before a reload. */
export function StartingOperation() {
  const { setOperationName } = useGraphiQLActions();

  useEffect(() => {
    if (operationName !== '') setOperationName(operationName);
  }, [setOperationName]);

  return null;
}
