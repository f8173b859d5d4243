import { MarkdownContent } from '@graphiql/react';
import { isUnionType } from 'graphql';
import type { ReactNode } from 'react';
import { scopesOf } from './families.ts';
import { type DrawnType, isMany, type TypeGraph, targetOf } from './type-graph.ts';

interface Props {
  readonly type: DrawnType;
  readonly graph: TypeGraph;
  readonly family: string;
  readonly openDocs: () => void;
  readonly children: ReactNode;
}

/** The documentation of a type beside the map: its description, where its fields lead, and what leads to it. */
export function TypeNotes({ type, graph, family, openDocs, children }: Props) {
  const fields = isUnionType(type) ? [] : Object.values(type.getFields());
  const leading = fields.filter((field) => graph.types.has(targetOf(field).name));
  const others = fields.filter((field) => !leading.includes(field));
  const kinds = graph.relations.filter(({ from, fields: [first] }) => from === type.name && first === 'is');
  const arriving = graph.relations.filter(({ to, from }) => to === type.name && from !== to);
  const [scope] = scopesOf(type);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section className="type-notes" aria-label={`About ${type.name}`} tabIndex={0}>
      <h2>
        {type.name} <small data-family={family}>{family}</small>
      </h2>
      {type.description ? <MarkdownContent type="description">{type.description}</MarkdownContent> : null}
      {scope === undefined ? null : (
        <p>
          Needs <code>{scope}</code>.
        </p>
      )}
      <p className="buttons">
        <button type="button" onClick={openDocs}>
          Open the documentation
        </button>
        {children}
      </p>
      {leading.length > 0 ? <h3>Leads to</h3> : null}
      <ul>
        {leading.map((field) => (
          <li key={field.name}>
            <code>{field.name}</code> → {targetOf(field).name}
            {isMany(field) ? ' (many)' : ''}
          </li>
        ))}
      </ul>
      {kinds.length > 0 ? <h3>Can be</h3> : null}
      <ul>
        {kinds.map(({ to }) => (
          <li key={to}>{to}</li>
        ))}
      </ul>
      {arriving.length > 0 ? <h3>Is reached from</h3> : null}
      <ul>
        {arriving.map(({ from, fields: through }) => (
          <li key={from}>
            {from} <code>{through.join(', ')}</code>
          </li>
        ))}
      </ul>
      {others.length > 0 ? <h3>Says</h3> : null}
      <ul>
        {others.map(({ name, type: ofField }) => (
          <li key={name}>
            <code>{name}</code> {String(ofField)}
          </li>
        ))}
      </ul>
    </section>
  );
}
