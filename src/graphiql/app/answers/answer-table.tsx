// The lists of an answer as tables. Only the rows in sight are in the document.
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import './answers.css';
import { toCsv } from './csv.ts';
import { type Cell, compareCells, isNumeric, type Table, tablesOf } from './lists.ts';
import { useData } from './use-data.ts';

const ROW_HEIGHT = 30;
/** Characters of a cell; the rest is in its title. */
const SHOWN_CHARS = 200;

export function AnswerTable({ response }: { response: string }) {
  const tables = useData(response, tablesOf) ?? [];
  const [chosen, setChosen] = useState('');
  const table = tables.find(({ path }) => path === chosen) ?? tables[0];
  if (table === undefined)
    return <p className="nothing">This answer has no list. Tables show lists and connections.</p>;
  return (
    <TableView key={table.path} table={table}>
      <label>
        List{' '}
        <select value={table.path} onChange={({ target }) => setChosen(target.value)}>
          {tables.map(({ path, rows }) => (
            <option key={path} value={path}>
              {path} ({rows.length})
            </option>
          ))}
        </select>
      </label>
    </TableView>
  );
}

interface Order {
  readonly column: number;
  readonly isDescending: boolean;
}

function TableView({ table, children }: { table: Table; children: React.ReactNode }) {
  const [order, setOrder] = useState<Order | null>(null);
  const [said, setSaid] = useState('');
  const scroller = useRef<HTMLElement>(null);
  const rows = useMemo(() => sortRows(table.rows, order), [table, order]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  });
  const items = virtualizer.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);
  const csv = () => toCsv({ columns: table.columns, rows });

  function sortBy(column: number): void {
    setOrder({ column, isDescending: order?.column === column && !order.isDescending });
    scroller.current?.scrollTo({ top: 0 });
  }
  async function copy(): Promise<void> {
    const isCopied = await navigator.clipboard.writeText(csv()).then(
      () => true,
      () => false,
    );
    setSaid(isCopied ? 'Copied as CSV.' : 'The browser does not allow copying. Download the file instead.');
  }
  function download(): void {
    save(`${table.path.split('.').at(-1) || 'answer'}.csv`, csv());
    setSaid('Downloaded as CSV.');
  }

  return (
    <>
      <div className="table-bar">
        {children}
        <button type="button" onClick={copy}>
          Copy CSV
        </button>
        <button type="button" onClick={download}>
          Download CSV
        </button>
        <output>{said}</output>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <section className="table-scroll" ref={scroller} tabIndex={0} aria-label={`Rows of ${table.path}`}>
        <table aria-rowcount={rows.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {table.columns.map((name, column) => (
                <th key={name} scope="col" aria-sort={sortOf(order, column)}>
                  <button type="button" onClick={() => sortBy(column)}>
                    {name}
                    <span aria-hidden="true">
                      {order?.column === column ? (order.isDescending ? ' ↓' : ' ↑') : ''}
                    </span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Gap height={before} />
            {items.map(({ index }) => (
              <tr key={index} aria-rowindex={index + 2}>
                {rows[index]?.map((cell, column) => (
                  <CellView key={table.columns[column]} cell={cell} />
                ))}
              </tr>
            ))}
            <Gap height={after} />
          </tbody>
        </table>
      </section>
    </>
  );
}

/** In place of the rows that are not in the document. */
function Gap({ height }: { height: number }) {
  return height > 0 ? <tr style={{ height }} /> : null;
}

function CellView({ cell }: { cell: Cell }) {
  if (cell === null) return <td className="none">–</td>;
  const text = String(cell);
  const isCut = text.length > SHOWN_CHARS;
  return (
    <td className={isNumeric(cell) ? 'number' : ''} title={text}>
      {isCut ? `${text.slice(0, SHOWN_CHARS)}…` : text}
    </td>
  );
}

function sortRows(rows: Table['rows'], order: Order | null): Table['rows'] {
  if (order === null) return rows;
  const { column, isDescending } = order;
  return rows.toSorted((a, b) => {
    const [one = null, other = null] = [a[column], b[column]];
    // Empty cells stay at the end.
    return isDescending && one !== null && other !== null
      ? compareCells(other, one)
      : compareCells(one, other);
  });
}

const sortOf = (order: Order | null, column: number) =>
  order?.column !== column ? 'none' : order.isDescending ? 'descending' : 'ascending';

/** Spreadsheets read UTF-8 if a byte order mark says so. */
function save(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(['\ufeff', text], { type: 'text/csv;charset=utf-8' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
