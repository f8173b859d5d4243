declare const graphql: Record<string, unknown>;
export = graphql;
