/** Blocks of cells: copy, cut, paste, clear and fill down. */
import type { ClipboardEvent } from 'react';
import { MAX_EDITED_ROWS } from '../../api/bulk.ts';
import type { Row } from '../../api/catalogue.ts';
import { loadedRow, loadRows } from '../../api/queries.ts';
import type { ListQuery } from '../../api/query/list.ts';
import { showDialog } from '../../components/dialog.tsx';
import { dialogOnDemand } from '../../components/on-demand.tsx';
import { notify, notifyError } from '../../components/toasts.tsx';
import { type Formats, notationsOf } from '../../fields/parse.ts';
import { formatValue, kindOf, parseText, printValue } from '../../fields/registry.ts';
import { t } from '../../i18n/text.ts';
import type { Column } from '../../views/columns.ts';
import { saveCell, saveRows } from '../edits.ts';
import { cellCount, type Range, rangeOf, type Selection } from '../selection.ts';
import { type Block, parseClipboard, printHtmlTable, printTsv, tile } from './clipboard.ts';
import { editsOf, findBlockNames, type Parse, parserFor, planBlock } from './paste.ts';

const PasteDialog = dialogOnDemand(() => import('./paste-dialog.tsx'));

const MAX_COPIED_ROWS = 20_000;

interface BlockOptions {
  readonly query: ListQuery;
  readonly columns: readonly Column[];
  readonly total: number;
}

export type Blocks = ReturnType<typeof blocksOf>;

export function blocksOf({ query, columns, total }: BlockOptions) {
  const { collection } = query;

  /** The cells as text. A reference is its title, as the grid shows it. */
  const print = ({ left, right }: Range, rows: readonly Row[]): Block =>
    rows.map((row) =>
      columns.slice(left, right + 1).map(({ field }) => {
        const place = { collection, field };
        const isReference = kindOf(place).name === 'reference';
        return isReference ? formatValue(place, row[field.name]) : printValue(place, row[field.name]);
      }),
    );

  const run = (work: () => Promise<void>) => void work().catch(notifyError);

  const isTooLarge = (rows: number, most: number): boolean => {
    if (rows > most) notify(t.grid.tooManyRows(most), { isError: true });
    return rows > most;
  };

  /** Changes all cells of a range without a question; the message offers undo. The text of a cell is its row. */
  const change = (range: Range, parseOf: (rows: readonly Row[]) => Parse) =>
    run(async () => {
      if (isTooLarge(range.bottom - range.top + 1, MAX_EDITED_ROWS)) return;
      const rows = await loadRows(query, range.top, range.bottom);
      const chosen = columns.slice(range.left, range.right + 1);
      const block = rows.map((_row, at) => chosen.map(() => String(at)));
      const planned = planBlock(collection, rows, chosen, block, parseOf(rows));
      const [problem] = planned.problems;
      if (problem !== undefined) notify(t.grid.cellProblem(problem.title, problem.problem), { isError: true });
      if (planned.changes.length > 0) await saveRows(collection, editsOf(planned.changes), t.grid.cellsChanged);
    });

  const clear = (selection: Selection) => change(rangeOf(selection), () => (place) => parseText(place, ''));

  /** Repeats the rows of a range, which may begin before it, in a larger one. */
  const fill = (source: Range, range: Range) => {
    const height = source.bottom - source.top + 1;
    const shift = height - ((source.top - range.top) % height);
    change(range, (rows) => ({ field }, at) => {
      const from = source.top - range.top + ((Number(at) + shift) % height);
      return { value: rows[from]?.[field.name] ?? null };
    });
  };

  /** Repeats the first row of the range. A single row takes the values of the row above it. */
  const fillDown = (selection: Selection) => {
    const range = rangeOf(selection);
    const top = Math.max(0, range.top === range.bottom ? range.top - 1 : range.top);
    fill({ ...range, top, bottom: top }, { ...range, top });
  };

  const copy = (event: ClipboardEvent, selection: Selection) => {
    const range = rangeOf(selection);
    event.preventDefault();
    if (isTooLarge(range.bottom - range.top + 1, MAX_COPIED_ROWS)) return;
    const indexes = Array.from({ length: range.bottom - range.top + 1 }, (_, at) => range.top + at);
    const rows = indexes.map((index) => loadedRow(query, index));
    const done = () => cellCount(range) > 1 && notify(t.grid.copied(cellCount(range)), { topic: 'copy' });
    if (rows.every((row) => row !== undefined)) {
      const block = print(range, rows as readonly Row[]);
      event.clipboardData.setData('text/plain', printTsv(block));
      event.clipboardData.setData('text/html', printHtmlTable(block));
      return done();
    }
    run(async () => {
      const block = print(range, await loadRows(query, range.top, range.bottom));
      // Without HTTPS, only the event of a key can write to the clipboard.
      if (navigator.clipboard === undefined) return notify(t.grid.copyAgain, { topic: 'copy' });
      await navigator.clipboard.writeText(printTsv(block));
      done();
    });
  };

  /** `select` selects the pasted block; its first cell stays the active one. */
  const paste = (event: ClipboardEvent, selection: Selection, select: (selection: Selection) => void) => {
    const { clipboardData } = event;
    const copied = parseClipboard(clipboardData.getData('text/plain'), clipboardData.getData('text/html'));
    if (copied === undefined) return;
    event.preventDefault();
    const range = rangeOf(selection);
    const block = tile(copied, range.bottom - range.top + 1, range.right - range.left + 1);
    const active = { row: range.top, column: range.left };
    select({ anchor: { row: range.top + block.length - 1, column: range.left + block[0]!.length - 1 }, active });
    run(async () => {
      if (isTooLarge(block.length, MAX_EDITED_ROWS)) return;
      const last = Math.min(total, range.top + block.length) - 1;
      const rows = await loadRows(query, range.top, last);
      const chosen = columns.slice(range.left, range.left + block[0]!.length);
      const fields = chosen.map(({ field }) => field);
      const names = await findBlockNames(chosen, collection, block);
      /** The plan in the notations of the columns, which the person can change. */
      const planWith = (formats: Formats) => {
        const notations = notationsOf('\t', fields, block, formats);
        return { ...planBlock(collection, rows, chosen, block, parserFor(names, notations)), notations };
      };
      const planned = planWith({});
      const [only] = planned.changes;
      const isOne = block.length === 1 && fields.length === 1 && !planned.notations.areUndecided;
      if (isOne && only !== undefined) await saveCell(only.place, only.row, only.after, block[0]![0]!);
      else if (planned.changes.length + planned.added.length + planned.problems.length > 0)
        await showDialog(<PasteDialog collection={collection} fields={fields} planWith={planWith} />);
      else notify(t.grid.sameValues, { topic: 'paste' });
    });
  };

  return { copy, paste, clear, fill, fillDown };
}
