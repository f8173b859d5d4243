// Read-your-writes over replicas: queries may read from them, and the answer to a mutation says in its extensions what later reads may
// send as the header `Consistency-Token`.
import { getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { changeAndTell, readFromReplicas } from '../services/consistency.ts';
import type { GraphContext } from './context.ts';

/** The plugin; behind those that refuse operations. */
export function consistency(): Plugin<GraphContext, GraphContext> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const { document, operationName, contextValue } = args;
      const operation = getOperationAST(document, operationName);
      if (operation?.operation === 'query') readFromReplicas(contextValue, contextValue.state.position);
      if (operation?.operation !== 'mutation') return;
      setExecuteFn(async (given) => {
        const { result, token } = await changeAndTell(contextValue, async () => executeFn(given));
        contextValue.state.consistencyToken = token;
        return result;
      });
    },
    onResultProcess({ result, setResult, serverContext }) {
      const { consistencyToken } = serverContext.state;
      if (consistencyToken === null || Symbol.asyncIterator in result || Array.isArray(result)) return;
      setResult({ ...result, extensions: { ...result.extensions, consistencyToken } });
    },
  };
}
