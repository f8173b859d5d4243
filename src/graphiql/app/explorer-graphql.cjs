// What the query builder, a CommonJS module, gets for `graphql`: filled by query-builder.tsx. Its own `require` would bring all of
// `graphql` into the first load, because a bundler cannot leave out parts of what is required.
module.exports = {};
