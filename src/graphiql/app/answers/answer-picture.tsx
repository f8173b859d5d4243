// The pictures of an answer: workflows of funnels, and charts of series by day.
import { useState } from 'react';
import './answers.css';
import { later } from '../later.tsx';
import { picturesOf } from './pictures.ts';
import { useData } from './use-data.ts';

const Workflow = later('The workflow', () => import('./workflow.tsx').then(({ Workflow: Loaded }) => Loaded));
const Chart = later('The chart', () => import('./chart.tsx').then(({ Chart: Loaded }) => Loaded));

export function AnswerPicture({ response }: { response: string }) {
  const pictures = useData(response, picturesOf) ?? [];
  const [chosen, setChosen] = useState('');
  const picture = pictures.find(({ path }) => path === chosen) ?? pictures[0];
  if (picture === undefined)
    return (
      <p className="nothing">
        This answer has nothing to draw. A picture needs the <code>steps</code> of a funnel with{' '}
        <code>name</code>, <code>branch</code> and <code>{'parent { name }'}</code>, or a <code>series</code>{' '}
        with <code>day</code>. The examples “Where visitors of a funnel drop out” and “Visits and sales by
        day” have them.
      </p>
    );
  return (
    <>
      {pictures.length > 1 ? (
        <div className="table-bar">
          <label>
            Picture{' '}
            <select value={picture.path} onChange={({ target }) => setChosen(target.value)}>
              {pictures.map(({ path, title }) => (
                <option key={path} value={path}>
                  {title || path}
                </option>
              ))}
            </select>
          </label>
        </div>
      ) : null}
      {picture.kind === 'workflow' ? (
        <Workflow key={picture.path} picture={picture} />
      ) : (
        <Chart key={picture.path} picture={picture} />
      )}
    </>
  );
}
