// Below the answer: how it is shown (JSON, table or picture), what it cost and how long it took.
import { useGraphiQL } from '@graphiql/react';
import { useEffect, useRef, useState } from 'react';
import { later } from '../later.tsx';
import { getMeasurement, type Measurement } from './measured.ts';

const VIEWS = ['JSON', 'Table', 'Picture'] as const;
type View = (typeof VIEWS)[number];

const AnswerTable = later('The table', () =>
  import('./answer-table.tsx').then(({ AnswerTable: Loaded }) => Loaded),
);
const AnswerPicture = later('The picture', () =>
  import('./answer-picture.tsx').then(({ AnswerPicture: Loaded }) => Loaded),
);

export function Answer() {
  const [view, setView] = useState<View>('JSON');
  const response = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.response ?? '');
  const measurement = useMeasurement();
  if (!response) return null;
  return (
    <>
      {view === 'JSON' ? null : (
        <section className="answer-view" aria-label={`The answer as a ${view.toLowerCase()}`}>
          {view === 'Table' ? <AnswerTable response={response} /> : <AnswerPicture response={response} />}
        </section>
      )}
      <div className="answer-bar">
        <fieldset>
          <legend className="unseen">Show the answer as</legend>
          {VIEWS.map((one) => (
            <label key={one}>
              <input type="radio" name="answer-view" checked={one === view} onChange={() => setView(one)} />
              {one}
            </label>
          ))}
        </fieldset>
        {measurement === null ? null : <p className="answer-cost">{costText(measurement)}</p>}
      </div>
    </>
  );
}

/** The measurement of the answer in the active tab; null if it comes from an earlier visit. */
function useMeasurement(): Measurement | null {
  const isFetching = useGraphiQL((state) => state.isFetching);
  const tabId = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id ?? '');
  const [measurements, setMeasurements] = useState<Readonly<Record<string, Measurement>>>({});
  const askingTab = useRef('');

  useEffect(() => {
    if (isFetching) askingTab.current = tabId;
    const measurement = getMeasurement();
    if (isFetching || askingTab.current === '' || measurement === null) return;
    const asking = askingTab.current;
    askingTab.current = '';
    setMeasurements((earlier) => ({ ...earlier, [asking]: measurement }));
  }, [isFetching, tabId]);

  return measurements[tabId] ?? null;
}

function costText({ milliseconds, bytes, cost }: Measurement): string {
  const time = `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
  const size = bytes < 1_000 ? `${bytes} B` : `${(bytes / 1_000).toFixed(1)} kB`;
  if (cost === null) return `${time} · ${size}`;
  return `${time} · ${size} · ${count(cost.points, 'point')} · ${count(cost.rows, 'row')} at most`;
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
