// Documents that are known beforehand, which clients name by ids.
import type { DocumentNode } from 'graphql';

/** A document that clients name by its id. */
export interface TrustedDocument {
  readonly text: string;
  /** Parsed, and valid. */
  readonly document: DocumentNode;
}

export interface TrustedDocuments {
  /** How many different ones there are. 0: none are configured, and clients send texts. */
  readonly size: number;
  /** Nothing else is executed. */
  readonly only: boolean;
  /** @param id as a client sends it, with or without the prefix `sha256:` */
  find(id: string): TrustedDocument | undefined;
}
