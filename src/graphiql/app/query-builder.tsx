// A query by ticking: GraphiQL's explorer, with names and keys for its parts, which it lacks.
import { explorerPlugin } from '@graphiql/plugin-explorer';
import '@graphiql/plugin-explorer/style.css';
import {
  GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  isScalarType,
  isUnionType,
  isWrappingType,
  parse,
  parseType,
  print,
  visit,
} from 'graphql';
import { type KeyboardEvent, useEffect, useRef } from 'react';

// biome-ignore lint/correctness/useImportExtensions: it is no TypeScript
import explorerGraphql from './explorer-graphql.cjs';

Object.assign(explorerGraphql, {
  GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  isScalarType,
  isUnionType,
  isWrappingType,
  parse,
  parseType,
  print,
  visit,
});

/** The theme's colours, with enough contrast for text (WCAG 1.4.3). */
const COLORS = {
  keyword: 'primary',
  def: 'tertiary',
  property: 'info',
  qualifier: 'secondary',
  attribute: 'tertiary',
  number: 'success',
  string: 'warning',
  builtin: 'success',
  string2: 'secondary',
  variable: 'secondary',
  atom: 'tertiary',
};
const colors = Object.fromEntries(
  Object.entries(COLORS).map(([part, name]) => [
    part,
    `color-mix(in srgb, hsl(var(--color-${name})) 55%, hsl(var(--color-neutral)))`,
  ]),
) as typeof COLORS;

const { content: Explorer } = explorerPlugin({ showAttribution: false, title: 'Build a query', colors });

export function QueryBuilder() {
  const frame = useRef<HTMLElement>(null);

  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    nameParts(element);
    const observer = new MutationObserver(() => nameParts(element));
    observer.observe(element, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, []);

  return (
    <section className="query-builder" aria-label="Build a query" ref={frame} onKeyDown={press}>
      <Explorer />
    </section>
  );
}

/** The clickable text of a field, argument or type. */
const TICKABLE = '.graphiql-explorer-root span[style*="cursor: pointer"]';

/** Makes what can be clicked a checkbox that the keyboard reaches, and names the inputs. */
function nameParts(element: HTMLElement): void {
  for (const part of element.querySelectorAll<HTMLElement>(TICKABLE)) {
    const isTicked = part.querySelector('[style*="rotate(90deg)"], path[stroke="#fff"]') !== null;
    part.tabIndex = 0;
    part.role = 'checkbox';
    part.ariaChecked = String(isTicked);
  }
  for (const input of element.querySelectorAll<HTMLElement>('input, select')) {
    const owner = input.closest('[data-arg-name]')?.getAttribute('data-arg-name');
    input.ariaLabel ??= owner ?? (input.matches('select') ? 'Kind of operation' : 'Name of the operation');
  }
}

function press(event: KeyboardEvent): void {
  const { target, key } = event;
  if (!(target instanceof HTMLElement) || target.role !== 'checkbox' || (key !== ' ' && key !== 'Enter'))
    return;
  event.preventDefault();
  target.click();
}
