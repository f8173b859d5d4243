// Files of GraphQL, imported as text.
declare module '*.graphql?raw' {
  const text: string;
  export default text;
}
