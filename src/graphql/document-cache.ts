// Documents that have been found valid are parsed and validated once. Bounded in bytes; what is broken, very long, or sent
// without credentials is not kept, so that nobody fills it for nothing.
import type { DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { GraphContext } from './context.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** Longer documents are read anew each time: few clients send any. */
export const MAX_KEPT_CHARS = 20_000;
/** Measured: a token with its share of the nodes of the syntax tree. */
const TOKEN_BYTES = 320;

/** What a parsed document takes, in bytes. */
export function sizeOfDocument({ loc, tokenCount }: DocumentNode): number {
  return 1 + 2 * (loc?.source.body.length ?? 0) + TOKEN_BYTES * (tokenCount ?? 0);
}

/** Takes the place of Yoga's own caches, which are bounded in number only, and filled by anybody. */
export function documentCache(): Plugin<GraphContext> {
  const documents = new LRUCache<string, DocumentNode>({
    maxSize: MAX_BYTES,
    sizeCalculation: sizeOfDocument,
  });
  const valid = new WeakSet<DocumentNode>();

  function mayKeep(text: string, { actor }: GraphContext): boolean {
    return text.length <= MAX_KEPT_CHARS && actor.kind !== 'anonymous';
  }

  return {
    onParse({ params: { source }, context, setParsedDocument }) {
      const text = String(source);
      const known = mayKeep(text, context) ? documents.get(text) : undefined;
      if (known !== undefined) setParsedDocument(known);
    },
    onValidate({ params: { documentAST }, context, setResult }) {
      if (valid.has(documentAST)) {
        setResult([]);
        return;
      }
      const text = documentAST.loc?.source.body ?? '';
      if (!mayKeep(text, context)) return;
      return ({ valid: isValid }) => {
        if (!isValid) return;
        valid.add(documentAST);
        documents.set(text, documentAST);
      };
    },
  };
}
