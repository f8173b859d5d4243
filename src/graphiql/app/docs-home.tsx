// The start of the documentation: the types to begin with, then all types by family. The bundle uses this instead of the plugin's own list
// of all types by name (build.ts).
import { MarkdownContent } from '@graphiql/react';
import { type GraphQLNamedType, type GraphQLSchema, isUnionType } from 'graphql';
import { useMemo } from 'react';
import { TypeLink } from '../../../node_modules/@graphiql/plugin-doc-explorer/dist/components/type-link.js';
import { familiesOf, SHARED } from './schema/families.ts';
import { typeGraphOf } from './schema/type-graph.ts';

const START = 'Workspace';

export function SchemaDocumentation({ schema }: { schema: GraphQLSchema }) {
  const families = useMemo(() => groupsOf(schema), [schema]);
  const [query, mutation, start] = [schema.getQueryType(), schema.getMutationType(), schema.getType(START)];
  return (
    <div className="docs-home">
      {schema.description ? <MarkdownContent type="description">{schema.description}</MarkdownContent> : null}
      <h2>Begin here</h2>
      <ul>
        {start ? (
          <li>
            <TypeLink type={start} /> has everything else
          </li>
        ) : null}
        {query ? (
          <li>
            <TypeLink type={query} /> has what can be read
          </li>
        ) : null}
        {mutation ? (
          <li>
            <TypeLink type={mutation} /> has what can be changed
          </li>
        ) : null}
      </ul>
      {families.map(({ name, nouns, others }) => (
        <section key={name} aria-label={name}>
          <h2>{name}</h2>
          <ul>
            {nouns.map((type) => (
              <li key={type.name}>
                <TypeLink type={type} />
              </li>
            ))}
          </ul>
          {others.length > 0 ? (
            <details>
              <summary>More types of {name.toLowerCase()}</summary>
              <ul>
                {others.map((type) => (
                  <li key={type.name}>
                    <TypeLink type={type} />
                  </li>
                ))}
              </ul>
            </details>
          ) : null}
        </section>
      ))}
    </div>
  );
}

interface Family {
  readonly name: string;
  readonly nouns: readonly GraphQLNamedType[];
  readonly others: readonly GraphQLNamedType[];
}

/** The families by name, and at the end what all share. Nouns have an id; the others are their parts, inputs, pages and payloads. */
function groupsOf(schema: GraphQLSchema): readonly Family[] {
  const families = familiesOf(schema);
  const { types: drawn } = typeGraphOf(schema);
  const roots: readonly unknown[] = [schema.getQueryType(), schema.getMutationType(), schema.getType(START)];
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !type.name.startsWith('__') && !roots.includes(type),
  );
  const isNoun = ({ name }: GraphQLNamedType) => {
    const type = drawn.get(name);
    return type !== undefined && !isUnionType(type) && 'id' in type.getFields();
  };
  const groups = [...Map.groupBy(types, ({ name }) => families.get(name) ?? SHARED)].map(
    ([name, members]) => ({
      name,
      nouns: members.filter(isNoun),
      others: members.filter((member) => !isNoun(member)),
    }),
  );
  return groups.toSorted(
    (a, b) => Number(a.name === SHARED) - Number(b.name === SHARED) || a.name.localeCompare(b.name),
  );
}
