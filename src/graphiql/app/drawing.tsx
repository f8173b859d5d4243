// A drawing of boxes and arrows, which can be moved and zoomed. Loaded when somebody asks for one.
import { graphlib, layout } from '@dagrejs/dagre';
import {
  Controls,
  type Edge,
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
}

interface Props {
  readonly label: string;
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
  readonly direction: 'LR' | 'TB';
  /** The box that is in the middle where all of the drawing would be too small to read. */
  readonly focus?: string;
}

type BoxNode = Node<{ content: ReactNode; direction: Props['direction'] }, 'box'>;

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

const nodeTypes = { box: BoxView };

export function Drawing(props: Props) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas({ label, boxes, arrows, direction, focus }: Props) {
  const colorMode = useColorScheme();
  const nodes = useMemo(() => place(boxes, arrows, direction), [boxes, arrows, direction]);
  const fit = useFit(nodes, focus);
  const edges = useMemo(() => arrows.map(edgeOf), [arrows]);
  return (
    <section className="drawing" aria-label={label}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
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
      void setViewport({ zoom, x: width / 2 - x * zoom, y: Math.max(height / 2 - y * zoom, 0) });
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

function place(boxes: readonly Box[], arrows: readonly Arrow[], direction: Props['direction']): BoxNode[] {
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
  return boxes.map(({ id, content, width, height }) => {
    const { x = 0, y = 0 } = graph.node(id) as { x?: number; y?: number };
    return {
      id,
      type: 'box',
      position: { x: x - width / 2, y: y - height / 2 },
      data: { content, direction },
      width,
      height,
    };
  });
}

function edgeOf({ from, to, label = '', isMarked = false }: Arrow): Edge {
  return {
    id: `${from}→${to}:${label}`,
    source: from,
    target: to,
    label,
    className: isMarked ? 'marked' : '',
    markerEnd: { type: MarkerType.ArrowClosed, color: 'currentcolor' },
    labelBgPadding: [4, 2],
    labelBgBorderRadius: 4,
  };
}
