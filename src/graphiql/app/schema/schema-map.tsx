// A map of the schema: a type and its neighbours, or the ways that lead from one type to another.
import { DOC_EXPLORER_PLUGIN, useDocExplorerActions } from '@graphiql/plugin-doc-explorer';
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import './schema-map.css';
import type { GraphQLSchema } from 'graphql';
import { type FormEvent, type ReactNode, useMemo, useState } from 'react';
import { isPhone } from '../device.ts';
import { type Arrow, type Box, Drawing } from '../drawing.tsx';
import { familiesOf, SHARED } from './families.ts';
import { type Relation, type TypeGraph, typeGraphOf } from './type-graph.ts';
import { TypeNotes } from './type-notes.tsx';

const START = 'Workspace';
/** More neighbours than these stand in boxes of their families. */
const FEW = 16;
/** Pixels. */
const CHAR_WIDTH = 8.2;
const ROW = 40;
const FAMILY_COLUMNS = 2;
const FAMILY_COLUMN = 170;
const FAMILY_HEAD = 40;
const FAMILY_ROW = 38;

interface Shown {
  readonly from: string;
  /** '' for the neighbours of `from` */
  readonly to: string;
}

export function SchemaMap() {
  const schema = useGraphiQL((state) => state.schema);
  return schema ? <MapOf schema={schema} /> : <p role="alert">The schema is not available.</p>;
}

function MapOf({ schema }: { schema: GraphQLSchema }) {
  const graph = useMemo(() => typeGraphOf(schema), [schema]);
  const families = useMemo(() => familiesOf(schema), [schema]);
  const [trail, setTrail] = useState<readonly Shown[]>([
    { from: graph.types.has(START) ? START : '', to: '' },
  ]);
  const [selected, setSelected] = useState(START);
  const { setVisiblePlugin } = useGraphiQLActions();
  const docs = useDocExplorerActions();
  const shown = trail.at(-1) as Shown;

  function show(next: Shown): void {
    setSelected(next.from);
    if (next.from !== shown.from || next.to !== shown.to) setTrail([...trail, next]);
  }
  function back(): void {
    setSelected(trail.at(-2)?.from ?? START);
    setTrail(trail.slice(0, -1));
  }
  function openDocs(): void {
    const def = graph.types.get(selected);
    if (def === undefined) return;
    docs.reset();
    docs.push({ name: selected, def });
    setVisiblePlugin(DOC_EXPLORER_PLUGIN);
  }
  const choose = (name: string) => (shown.to === '' ? show({ from: name, to: '' }) : setSelected(name));
  const relations = useMemo(
    () => (shown.to === '' ? graph.around(shown.from) : graph.between(shown.from, shown.to)),
    [graph, shown],
  );
  const type = graph.types.get(selected);
  return (
    <section className="schema-map" aria-label="Schema">
      <Search key={`${shown.from} ${shown.to}`} graph={graph} shown={shown} show={show}>
        {trail.length > 1 ? (
          <button type="button" onClick={back}>
            Back
          </button>
        ) : null}
      </Search>
      <TypeDrawing families={families} {...{ shown, relations, selected, choose }} />
      {type === undefined ? null : (
        <TypeNotes
          key={selected}
          type={type}
          graph={graph}
          family={families.get(selected) ?? SHARED}
          openDocs={openDocs}
        >
          {shown.to !== '' && selected !== shown.from && selected !== shown.to ? (
            <button type="button" onClick={() => show({ from: selected, to: '' })}>
              Show neighbours
            </button>
          ) : null}
        </TypeNotes>
      )}
    </section>
  );
}

interface SearchProps {
  readonly graph: TypeGraph;
  readonly shown: Shown;
  readonly show: (next: Shown) => void;
  readonly children: ReactNode;
}

function Search({ graph, shown, show, children }: SearchProps) {
  const [said, setSaid] = useState('');
  const names = useMemo(() => [...graph.types.keys()].sort(), [graph]);

  function search(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const [from, to] = ['from', 'to'].map((name) => String(given.get(name) ?? '').trim());
    const start = graph.find(from ?? '');
    const end = to === '' ? '' : graph.find(to ?? '');
    if (start === null) setSaid(`No type or field is called “${from}”.`);
    else if (end === null) setSaid(`No type or field is called “${to}”.`);
    else show({ from: start, to: end === start ? '' : end });
  }

  const isPath = shown.to !== '';
  const message =
    said ||
    (isPath && graph.between(shown.from, shown.to).length === 0
      ? `No way leads from ${shown.from} to ${shown.to}.`
      : '');
  return (
    <search>
      <form className="schema-search" onSubmit={search}>
        <label>
          Type{' '}
          <input name="from" type="search" list="schema-types" defaultValue={shown.from} autoComplete="off" />
        </label>
        <label>
          leads to{' '}
          <input
            name="to"
            type="search"
            list="schema-types"
            placeholder="any"
            defaultValue={shown.to}
            autoComplete="off"
          />
        </label>
        <datalist id="schema-types">
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <button type="submit">Show</button>
        {children}
        <output>{message}</output>
      </form>
    </search>
  );
}

interface DrawingProps {
  readonly families: ReadonlyMap<string, string>;
  readonly shown: Shown;
  readonly relations: readonly Relation[];
  readonly selected: string;
  readonly choose: (name: string) => void;
}

function TypeDrawing({ families, shown, relations, selected, choose }: DrawingProps) {
  const isPath = shown.to !== '';
  const { boxes, arrows } = useMemo(() => {
    const button = (name: string) => (
      <button
        key={name}
        type="button"
        className="type-box nopan"
        data-family={families.get(name) ?? SHARED}
        aria-current={name === selected}
        onClick={() => choose(name)}
      >
        {name}
      </button>
    );
    const drawn = isPath ? relations : oneEach(relations, shown.from);
    return !isPath && drawn.length > FEW
      ? byFamily(drawn, shown.from, families, button)
      : oneByOne(drawn, shown.from, button);
  }, [families, shown, isPath, relations, selected, choose]);
  const label = isPath ? `The ways from ${shown.from} to ${shown.to}` : `${shown.from} and its neighbours`;
  // On a phone the ways lead down.
  const direction = isPath && isPhone() ? 'TB' : 'LR';
  return <Drawing {...{ label, boxes, arrows, direction }} focus={shown.from} />;
}

/** One relation for each neighbour: where both lead to each other, the one that leaves the type in the middle. */
function oneEach(relations: readonly Relation[], middle: string): readonly Relation[] {
  const reached = new Set(relations.filter(({ from }) => from === middle).map(({ to }) => to));
  return relations.filter(({ from }) => from === middle || !reached.has(from));
}

interface Parts {
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}
type Draw = (name: string) => ReactNode;

const widthOf = (name: string): number => Math.max(96, Math.round(name.length * CHAR_WIDTH) + 32);

function oneByOne(relations: readonly Relation[], middle: string, draw: Draw): Parts {
  const names = [...new Set([middle, ...relations.flatMap(({ from, to }) => [from, to])])];
  return {
    boxes: names.map((id) => ({ id, width: widthOf(id), height: ROW, content: draw(id) })),
    arrows: relations.map(({ from, to, fields: [first = '', ...more] }) => ({
      from,
      to,
      label: more.length === 0 ? first : `${first} + ${more.length}`,
    })),
  };
}

/**
 * A box for each family of neighbours: so many arrows would say nothing. The boxes stand at both sides, so that all of them fit.
 */
function byFamily(
  relations: readonly Relation[],
  middle: string,
  families: ReadonlyMap<string, string>,
  draw: Draw,
): Parts {
  const neighbourIn = ({ from, to }: Relation) => (from === middle ? to : from);
  const groups = [...Map.groupBy(relations, (relation) => families.get(neighbourIn(relation)) ?? SHARED)].map(
    ([family, members]) => ({
      family,
      names: members.map(neighbourIn),
      isLeaving: members.some(({ from }) => from === middle),
      height: FAMILY_HEAD + Math.ceil(members.length / FAMILY_COLUMNS) * FAMILY_ROW,
    }),
  );
  const heights = { left: 0, right: 0 };
  const arrows: Arrow[] = [];
  for (const { family, isLeaving, height } of groups.toSorted((a, b) => b.height - a.height)) {
    const side = heights.left < heights.right ? 'left' : 'right';
    heights[side] += height;
    arrows.push(
      side === 'right'
        ? { from: middle, to: family, isReversed: !isLeaving }
        : { from: family, to: middle, isReversed: isLeaving },
    );
  }
  const boxes = groups.map(({ family, names, height }) => ({
    id: family,
    width: FAMILY_COLUMNS * FAMILY_COLUMN,
    height,
    content: (
      <div className="family-box" data-family={family}>
        <strong>{family}</strong>
        {names.map(draw)}
      </div>
    ),
  }));
  return {
    boxes: [{ id: middle, width: widthOf(middle), height: ROW, content: draw(middle) }, ...boxes],
    arrows,
  };
}
