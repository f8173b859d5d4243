// A drawing of boxes and arrows, which can be moved and zoomed. Loaded when somebody asks for one.
import { graphlib, layout } from '@dagrejs/dagre';
import {
  BaseEdge,
  Controls,
  type Edge,
  type EdgeProps,
  getViewportForBounds,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import './drawing.css';
import { type ReactNode, useEffect, useMemo } from 'react';
import { useColorScheme } from './use-color-scheme.ts';

export interface Box {
  readonly id: string;
  readonly content: ReactNode;
  readonly width: number;
  readonly height: number;
}

export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly label?: string;
  readonly isMarked?: boolean;
  /** The head is at `from`: the drawing places `from` before `to` all the same. */
  readonly isReversed?: boolean;
}

interface Props {
  readonly label: string;
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
  readonly direction: 'LR' | 'TB';
  /** The box that is in the middle where all of the drawing would be too small to read; without it the drawing begins at the top. */
  readonly focus?: string;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

type BoxNode = Node<{ content: ReactNode; direction: Props['direction'] }, 'box'>;
type ArrowEdge = Edge<{ path: string; labelAt: Point }, 'arrow'>;

const CHAR_WIDTH = 7;
const MARGIN = 0.04;
/** Smaller text cannot be read. */
const READABLE_ZOOM = 0.6;

function BoxView({ data: { content, direction } }: NodeProps<BoxNode>) {
  const isRow = direction === 'LR';
  return (
    <>
      <Handle type="target" position={isRow ? Position.Left : Position.Top} isConnectable={false} />
      {content}
      <Handle type="source" position={isRow ? Position.Right : Position.Bottom} isConnectable={false} />
    </>
  );
}

/** Takes the way that the layout has kept free of boxes and of other labels. */
function ArrowView({ id, data, label, markerStart, markerEnd, ...style }: EdgeProps<ArrowEdge>) {
  if (data === undefined) return null;
  return (
    <BaseEdge
      id={id}
      path={data.path}
      label={label}
      labelX={data.labelAt.x}
      labelY={data.labelAt.y}
      labelBgPadding={style.labelBgPadding ?? [0, 0]}
      labelBgBorderRadius={style.labelBgBorderRadius ?? 0}
      {...(markerStart !== undefined && { markerStart })}
      {...(markerEnd !== undefined && { markerEnd })}
    />
  );
}

const nodeTypes = { box: BoxView };
const edgeTypes = { arrow: ArrowView };

export function Drawing(props: Props) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas({ label, boxes, arrows, direction, focus }: Props) {
  const colorMode = useColorScheme();
  const { nodes, edges } = useMemo(() => place(boxes, arrows, direction), [boxes, arrows, direction]);
  const fit = useFit(nodes, focus);
  return (
    <section className="drawing" aria-label={label}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        colorMode={colorMode}
        minZoom={0.1}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
      >
        <Controls showInteractive={false} onFitView={fit} position="bottom-right" />
      </ReactFlow>
    </section>
  );
}

/** Shows all of the drawing whenever there is another one, or another size of its place. Returns what shows it again. */
function useFit(nodes: readonly BoxNode[], focus: string | undefined): () => void {
  const { setViewport, fitView } = useReactFlow();
  const width = useStore((store) => store.width);
  const height = useStore((store) => store.height);

  useEffect(() => {
    if (width === 0 || height === 0) return;
    const bounds = boundsOf(nodes);
    const viewport = getViewportForBounds(bounds, width, height, READABLE_ZOOM, 1, MARGIN);
    const { zoom } = viewport;
    const isWhole = bounds.width * zoom <= width && bounds.height * zoom <= height;
    const middle = nodes.find(({ id }) => id === focus) ?? nodes[0];
    if (isWhole || middle === undefined) void setViewport(viewport);
    else {
      const { x, y } = centerOf(middle);
      const top = focus === undefined ? MARGIN * height - bounds.y * zoom : height / 2 - y * zoom;
      void setViewport({ zoom, x: width / 2 - x * zoom, y: Math.max(top, 0) });
    }
  }, [nodes, focus, width, height, setViewport]);

  return () => void fitView({ padding: MARGIN, maxZoom: 1 });
}

function boundsOf(nodes: readonly BoxNode[]): { x: number; y: number; width: number; height: number } {
  const x = Math.min(...nodes.map(({ position }) => position.x));
  const y = Math.min(...nodes.map(({ position }) => position.y));
  const right = Math.max(...nodes.map(({ position, width = 0 }) => position.x + width));
  const bottom = Math.max(...nodes.map(({ position, height = 0 }) => position.y + height));
  return { x, y, width: right - x, height: bottom - y };
}

const centerOf = ({ position: { x, y }, width = 0, height = 0 }: BoxNode) => ({
  x: x + width / 2,
  y: y + height / 2,
});

function place(
  boxes: readonly Box[],
  arrows: readonly Arrow[],
  direction: Props['direction'],
): { nodes: BoxNode[]; edges: ArrowEdge[] } {
  const graph = new graphlib.Graph();
  const isRow = direction === 'LR';
  graph.setGraph({ rankdir: direction, nodesep: isRow ? 14 : 24, ranksep: isRow ? 36 : 22, edgesep: 12 });
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const { from, to, label = '' } of arrows)
    graph.setEdge(from, to, {
      width: label.length * CHAR_WIDTH,
      height: label === '' ? 0 : 18,
      labelpos: 'c',
    });
  layout(graph);
  const nodes = boxes.map(({ id, content, width, height }): BoxNode => {
    const { x = 0, y = 0 } = graph.node(id) as Partial<Point>;
    return {
      id,
      type: 'box',
      position: { x: x - width / 2, y: y - height / 2 },
      data: { content, direction },
      width,
      height,
    };
  });
  const edges = arrows.map((arrow) => {
    const { x, y, points } = graph.edge(arrow.from, arrow.to) as Partial<Point> & { points: Point[] };
    return edgeOf(arrow, points, x === undefined || y === undefined ? middleOf(points) : { x, y });
  });
  return { nodes, edges };
}

const head = { type: MarkerType.ArrowClosed, color: 'currentcolor' };

function edgeOf(
  { from, to, label = '', isMarked = false, isReversed = false }: Arrow,
  points: readonly Point[],
  labelAt: Point,
): ArrowEdge {
  return {
    id: `${from}→${to}:${label}`,
    type: 'arrow',
    source: from,
    target: to,
    data: { path: curveThrough(points), labelAt },
    label,
    className: isMarked ? 'marked' : '',
    ...(isReversed ? { markerStart: { ...head, orient: 'auto-start-reverse' } } : { markerEnd: head }),
    labelBgPadding: [4, 2],
    labelBgBorderRadius: 4,
  };
}

const middleOf = (points: readonly Point[]): Point => points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 };

/** A smooth line through all points (Catmull-Rom). */
function curveThrough(points: readonly Point[]): string {
  const at = (index: number) => points[Math.min(Math.max(index, 0), points.length - 1)] as Point;
  const pair = ({ x, y }: Point) => `${x},${y}`;
  const towards = ({ x, y }: Point, from: Point, to: Point) => ({
    x: x + (to.x - from.x) / 6,
    y: y + (to.y - from.y) / 6,
  });
  const curves = points.slice(1).map((end, index) => {
    const start = at(index);
    const leaving = towards(start, at(index - 1), end);
    const arriving = towards(end, at(index + 2), start);
    return `C${pair(leaving)} ${pair(arriving)} ${pair(end)}`;
  });
  return points.length === 0 ? '' : `M${pair(at(0))} ${curves.join(' ')}`;
}
