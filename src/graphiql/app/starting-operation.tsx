import { useGraphiQLActions } from '@graphiql/react';
import { useEffect } from 'react';
import { startingOperationName } from './starting-tabs.ts';

const operationName = startingOperationName();

/** Selects the operation of the document that a link specifies, or that was selected before a reload. */
export function StartingOperation() {
  const { setOperationName } = useGraphiQLActions();

  useEffect(() => {
    if (operationName !== '') setOperationName(operationName);
  }, [setOperationName]);

  return null;
}
