// Trusted documents: registered in advance, and named by clients with an id.
import type { DocumentNode } from 'graphql';

/** A document that clients name by its id. */
export interface TrustedDocument {
  readonly text: string;
  /** Parsed and validated. */
  readonly document: DocumentNode;
}

export interface TrustedDocuments {
  /** The number of different documents. 0: none are configured, and clients send the text. */
  readonly size: number;
  /** Whether only trusted documents are executed. */
  readonly only: boolean;
  /** @param id as a client sends it, with or without the prefix `sha256:` */
  find(id: string): TrustedDocument | undefined;
}
