// Read-your-writes with read replicas: queries may be answered by a replica. The answer to a mutation has a token in its extensions, which
// later reads can send in the header `Consistency-Token`.
import { getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { changeAndTell, readFromReplicas } from '../services/consistency.ts';
import type { GraphContext } from './context.ts';

/** The plugin. It must come after the plugins that refuse operations. */
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
  };
}
