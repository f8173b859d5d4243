// A cache of valid documents, so that each is parsed and validated once. It is bounded in bytes. Invalid or very long documents, and all
// documents of anonymous clients, are not cached, because they could evict the others. Trusted documents need no cache.
import type { DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { Metrics } from '../telemetry/metrics.ts';
import type { GraphContext } from './context.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** Longer documents are parsed and validated each time: few clients send any. */
export const MAX_CACHED_CHARS = 20_000;
/** Measured: memory per token, including its share of the syntax tree. */
const TOKEN_BYTES = 320;

/** The approximate memory of a parsed document, in bytes. */
export function sizeOfDocument({ loc, tokenCount }: DocumentNode): number {
  return 1 + 2 * (loc?.source.body.length ?? 0) + TOKEN_BYTES * (tokenCount ?? 0);
}

/** Replaces Yoga's own caches, which are bounded by the number of entries only and filled by anonymous clients too. */
export function documentCache(metrics: Metrics): Plugin<GraphContext> {
  const documents = new LRUCache<string, DocumentNode>({
    maxSize: MAX_BYTES,
    sizeCalculation: sizeOfDocument,
  });
  const valid = new WeakSet<DocumentNode>();
  let hits = 0;
  let misses = 0;
  metrics.watch('cache', 'graphql_documents', () => ({
    hits,
    misses,
    size: documents.calculatedSize,
    max: MAX_BYTES,
  }));

  function isCacheable(text: string, { actor }: GraphContext): boolean {
    return text.length <= MAX_CACHED_CHARS && actor.kind !== 'anonymous';
  }

  return {
    onParse({ params: { source }, context, setParsedDocument }) {
      const { trusted, document: parsed } = context.state;
      const known = trusted?.document ?? parsed;
      if (known !== null) {
        setParsedDocument(known);
        return;
      }
      const text = String(source);
      const cached = isCacheable(text, context) ? documents.get(text) : undefined;
      if (cached === undefined) misses += 1;
      else {
        hits += 1;
        setParsedDocument(cached);
      }
    },
    onValidate({ params: { documentAST }, context, setResult }) {
      if (valid.has(documentAST) || documentAST === context.state.trusted?.document) {
        setResult([]);
        return;
      }
      const text = documentAST.loc?.source.body ?? '';
      return ({ valid: isValid }) => {
        if (!isValid) return;
        valid.add(documentAST);
        if (isCacheable(text, context)) documents.set(text, documentAST);
      };
    },
  };
}
