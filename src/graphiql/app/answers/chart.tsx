// A series by day as a chart. Counts have their axis at the left, amounts of money at the right.
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { isPhone } from '../device.ts';
import { useColorScheme } from '../use-color-scheme.ts';
import type { Line, SeriesPicture } from './pictures.ts';
import { wordsOf } from './words.ts';

const COLORS = {
  light: ['#b4047c', '#1d5fbf', '#07724f', '#a34500', '#6a3fc4', '#5c6470'],
  dark: ['#ff6bc5', '#7db4ff', '#4fd6a2', '#ffb074', '#bda5ff', '#b6bfcc'],
};
const HEIGHT = isPhone() ? 200 : 300;
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

export function Chart({ picture }: { picture: SeriesPicture }) {
  const { title, times, lines } = picture;
  const scheme = useColorScheme();
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot | null>(null);
  const [at, setAt] = useState<number | null>(null);
  // Lines that are zero on all days would lie on one another.
  const [hidden, setHidden] = useState<ReadonlySet<string>>(
    () =>
      new Set(lines.filter(({ values }) => values.every((value) => value === 0)).map(({ label }) => label)),
  );
  const colorOf = (index: number) => COLORS[scheme][index % COLORS[scheme].length] as string;
  const data = useMemo(
    (): UPlot.AlignedData => [[...times], ...lines.map(({ values }) => [...values])],
    [times, lines],
  );

  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const plot = new UPlot(optionsOf(lines, hidden, scheme, element, setAt), data, element);
    chart.current = plot;
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
      chart.current = null;
    };
  }, [data, lines, hidden, scheme]);

  function moveBy({ key }: KeyboardEvent): void {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    const plot = chart.current;
    if (step === undefined || plot === null) return;
    const index = Math.min(times.length - 1, Math.max(0, at === null ? 0 : at + step));
    plot.setCursor({ left: plot.valToPos(times[index] as number, 'x'), top: plot.over.clientHeight / 2 });
    setAt(index);
  }
  function toggle(label: string): void {
    const next = new Set(hidden);
    if (!next.delete(label)) next.add(label);
    setHidden(next);
  }

  return (
    <>
      <p className="picture-title">
        <strong>{title || 'By day'}</strong>{' '}
        {at === null ? rangeText(times) : day.format((times[at] as number) * 1_000)}
      </p>
      <fieldset className="chart-lines">
        <legend className="unseen">Lines</legend>
        {lines.map(({ label, values }, index) => (
          <label key={label}>
            <input type="checkbox" checked={!hidden.has(label)} onChange={() => toggle(label)} />
            <span className="swatch" style={{ background: colorOf(index) }} />
            {wordsOf(label)} <b>{format(at === null ? total(values) : (values[at] ?? 0))}</b>
          </label>
        ))}
      </fieldset>
      <div
        ref={frame}
        className="chart"
        role="application"
        aria-label={`${title || 'A chart'} by day. The arrow keys move from day to day.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move in it
        tabIndex={0}
        onKeyDown={moveBy}
        onBlur={() => setAt(null)}
      />
      <output className="unseen">
        {at === null ? '' : `${day.format((times[at] as number) * 1_000)}: ${readingOf(lines, hidden, at)}`}
      </output>
    </>
  );
}

function optionsOf(
  drawn: readonly Line[],
  unseen: ReadonlySet<string>,
  colors: 'light' | 'dark',
  element: HTMLElement,
  onCursor: (index: number | null) => void,
): UPlot.Options {
  const text = colors === 'dark' ? '#d7dde8' : '#39414f';
  const grid = { stroke: colors === 'dark' ? '#ffffff20' : '#00000018', width: 1 };
  const axis = { stroke: text, grid, ticks: grid };
  const hasMoney = drawn.some(({ currency, label }) => currency !== '' && !unseen.has(label));
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    scales: {
      money: { range: (_, __, max) => [0, Math.max(1, max * 1.05)] },
      y: { range: (_, __, max) => [0, Math.max(1, max * 1.05)] },
    },
    axes: [
      axis,
      { ...axis, scale: 'y', size: 56 },
      ...(hasMoney ? [{ ...axis, scale: 'money', side: 1 as const, size: 64, grid: { show: false } }] : []),
    ],
    series: [
      {},
      ...drawn.map(({ label, currency }, index) => ({
        label,
        scale: currency === '' ? 'y' : 'money',
        stroke: COLORS[colors][index % COLORS[colors].length] as string,
        width: 2,
        show: !unseen.has(label),
      })),
    ],
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), 'UTC'),
    hooks: { setCursor: [({ cursor }) => onCursor(cursor.idx ?? null)] },
  };
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const format = (value: number): string =>
  new Intl.NumberFormat('en', { maximumFractionDigits: 2 }).format(value);
const rangeText = (times: readonly number[]): string =>
  `${day.format((times[0] ?? 0) * 1_000)} to ${day.format((times.at(-1) ?? 0) * 1_000)}, in total:`;

function readingOf(lines: readonly Line[], hidden: ReadonlySet<string>, at: number): string {
  const shown = lines.filter(({ label }) => !hidden.has(label));
  return shown.map(({ label, values }) => `${format(values[at] ?? 0)} ${wordsOf(label)}`).join(', ');
}
