// The names of the parameters that specify an operation.

/** The parameters, besides `extensions`, that may contain an id. */
export const ID_PARAMETERS = ['documentId', 'doc_id'] as const;

/** The URL parameters that specify an operation. A browser request without any of them is for the GraphiQL page. */
export const OPERATION_PARAMETERS = ['query', 'extensions', ...ID_PARAMETERS];
