// Sends typed operations through the gateway, as a client does.
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import type { Gateway, RequestOptions } from './gateway.ts';

interface PublicError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly extensions: {
    readonly code: string;
    readonly requestId: string;
    readonly field?: string;
    readonly scope?: string;
  };
}

export interface Answer<Data> {
  readonly response: Response;
  readonly data?: Data | null;
  readonly errors?: readonly PublicError[];
}

/** Sends any query text, valid or not. */
export async function post<Data = Record<string, unknown>>(
  gateway: Gateway,
  operation: { query: string; variables?: unknown; operationName?: string },
  options: RequestOptions = {},
): Promise<Answer<Data>> {
  const response = await gateway.send('/graphql', {
    ...options,
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/graphql-response+json',
      ...options.headers,
    },
    body: JSON.stringify(operation),
  });
  return { response, ...((await response.json()) as object) };
}

/** Sends a valid operation. Returns the answer, including failures. */
export function ask<Data, Variables>(
  gateway: Gateway,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  options: RequestOptions = {},
): Promise<Answer<Data>> {
  return post<Data>(gateway, { query: print(document), variables }, options);
}

/** Sends an operation that must succeed without errors. Returns its data. */
export async function dataOf<Data, Variables>(
  gateway: Gateway,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  options: RequestOptions = {},
): Promise<Data> {
  const { data, errors } = await ask(gateway, document, variables, options);
  if (errors !== undefined || data == null) throw new Error(`Failed: ${JSON.stringify(errors)}`);
  return data;
}
