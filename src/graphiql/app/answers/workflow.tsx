// A funnel's steps as its workflow: each page with its numbers, each arrow with the share of visitors who went on.
import { useMemo } from 'react';
import { type Arrow, type Box, Drawing } from '../drawing.tsx';
import type { Way, WorkflowPicture, WorkflowStep } from './pictures.ts';
import { wordsOf } from './words.ts';

const WIDTH = 250;
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 });
const whole = new Intl.NumberFormat('en');

export function Workflow({ picture }: { picture: WorkflowPicture }) {
  const { title, steps, ways } = picture;
  const worst = useMemo(() => largestLoss(ways), [ways]);
  const most = Math.max(...steps.map(({ visitors, isSplit }) => (isSplit ? 0 : (visitors ?? 0))));
  const boxes = useMemo(() => steps.map((step) => boxOf(step, most)), [steps, most]);
  const arrows = useMemo(() => ways.map((way) => arrowOf(way, way === worst)), [ways, worst]);
  const nameOf = (id: string) => steps.find((step) => step.id === id)?.name;
  return (
    <>
      <p className="picture-title">
        <strong>{title}</strong>
        {worst === null ? null : (
          <>
            {' '}
            Most visitors drop out between “{nameOf(worst.from)}” and “{nameOf(worst.to)}”:{' '}
            {whole.format(worst.lost ?? 0)}, or {percent.format(1 - (worst.share ?? 0))}.
          </>
        )}
      </p>
      <Drawing label={`The workflow of ${title}`} boxes={boxes} arrows={arrows} direction="TB" />
    </>
  );
}

function largestLoss(ways: readonly Way[]): Way | null {
  const losing = ways.filter(({ lost }) => (lost ?? 0) > 0);
  return losing.toSorted((a, b) => (b.lost ?? 0) - (a.lost ?? 0))[0] ?? null;
}

function boxOf({ id, name, isSplit, numbers, visitors }: WorkflowStep, most: number): Box {
  // The visitors stand beside the name.
  const details = Object.entries(numbers).filter(([key]) => key !== 'uniqueViews');
  const share = most > 0 && visitors !== null ? Math.max(1, (visitors / most) * 100) : 0;
  return {
    id,
    width: WIDTH,
    height: details.length > 0 ? 66 : 38,
    content: (
      <div className={`step-box ${isSplit ? 'split' : ''}`}>
        <strong title={name}>{name}</strong>
        {details.length > 0 ? (
          <>
            {visitors === null ? null : <b title="visitors">{whole.format(visitors)}</b>}
            <span className="step-bar" aria-hidden="true">
              <span style={{ width: `${share}%` }} />
            </span>
            <small>
              {details.map(([key, value]) => `${whole.format(value)} ${wordsOf(key)}`).join(' · ')}
            </small>
          </>
        ) : null}
      </div>
    ),
  };
}

function arrowOf({ from, to, branch, share, lost }: Way, isMarked: boolean): Arrow {
  const parts = [branch.toLowerCase(), share === null ? '' : shareText(share, lost)];
  return { from, to, isMarked, label: parts.filter((part) => part !== '').join(' ') };
}

const shareText = (share: number, lost: number | null): string =>
  lost !== null && lost > 0 ? `−${percent.format(1 - share)}` : percent.format(share);
