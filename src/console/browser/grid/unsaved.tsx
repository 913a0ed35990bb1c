/** The changes of cells that are not stored, with both values: the person decides when it suits. */
import { useEffect } from 'react';
import { type Collection, labelOf, titleOf } from '../api/catalogue.ts';
import { rowAddress } from '../api/query/text.ts';
import { useStore } from '../base/store.ts';
import { Button } from '../components/button.tsx';
import { announce } from '../components/small.tsx';
import { formatValue, shownValue } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';
import { discardEdit, saveCell, saveCells, type UnsavedCell, unsavedCells } from './edits.ts';

const keepStored = (cell: UnsavedCell) => discardEdit(cell, cell.row);

export function UnsavedCells({ collection }: { readonly collection: Collection }) {
  const cells = [...useStore(unsavedCells)].filter(([, each]) => each.collection === collection);
  const wordsOf = ({ row, field, problem }: UnsavedCell) =>
    t.grid.notSaved(titleOf(collection, row), labelOf(field), problem);
  const newest = cells.at(-1);
  const words = newest && wordsOf(newest[1]);
  useEffect(() => {
    if (words !== undefined) announce(words);
  }, [words]);
  if (cells.length === 0) return null;
  const all = cells.map(([, cell]) => cell);
  return (
    <section className="unsaved-cells" aria-label={t.grid.unsaved}>
      <ul>
        {cells.map(([name, cell]) => {
          const { row, value, text, isGone } = cell;
          return (
            <li key={name} className="line wrap">
              <span>{wordsOf(cell)}</span>
              {/* Its page offers to restore it. */}
              {isGone && (
                <Button className="small" href={rowAddress(collection, row)}>
                  {t.app.openItem(titleOf(collection, row))}
                </Button>
              )}
              {value !== undefined && (
                <Button className="small" onClick={() => void saveCell(cell, row, value, text)}>
                  {t.grid.saveMine(formatValue(cell, value) || t.app.empty)}
                </Button>
              )}
              <Button className="small" onClick={() => keepStored(cell)}>
                {isGone ? t.record.discard : t.grid.keepStored(shownValue(cell, row))}
              </Button>
            </li>
          );
        })}
      </ul>
      {cells.length > 1 && (
        <p className="line">
          <Button className="small" onClick={() => void saveCells(collection, all)}>
            {t.grid.saveAllMine}
          </Button>
          <Button className="small" onClick={() => all.map(keepStored)}>
            {t.grid.keepAllStored}
          </Button>
        </p>
      )}
    </section>
  );
}
