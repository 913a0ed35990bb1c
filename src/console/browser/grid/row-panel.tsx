/** A row beside its list, with the previous and the next one. */
import { type KeyboardEvent, useLayoutEffect, useRef } from 'react';
import { titleOf } from '../api/catalogue.ts';
import { loadedIndex, loadedRow, useRows } from '../api/queries.ts';
import type { ListQuery } from '../api/query/list.ts';
import { pathOf } from '../api/query/text.ts';
import { IconButton, Steps } from '../components/button.tsx';
import { restoreFocus } from '../components/focus.ts';
import { t } from '../i18n/text.ts';
import { StoredRow } from '../record/page.tsx';

interface RowPanelProps {
  readonly query: ListQuery;
  readonly rowKey: string;
  readonly onMove: (index: number) => void;
  readonly onClose: () => void;
}

export default function RowPanel({ query, rowKey, onMove, onClose }: RowPanelProps) {
  const { collection } = query;
  const { total = 0 } = useRows(query, 0, 0);
  /** -1 if the list does not contain the row, or has not loaded it. */
  const index = loadedIndex(query, rowKey);
  const row = loadedRow(query, index);
  const panel = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    panel.current!.focus();
    return () => restoreFocus();
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented) onClose();
  };
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      className="row-panel"
      aria-label={row && titleOf(collection, row)}
      onKeyDown={onKeyDown}
    >
      <header className="line">
        {index >= 0 && (
          <Steps
            icons={['chevron-up', 'chevron-down']}
            labels={[t.grid.previous, t.grid.next]}
            at={index}
            last={total - 1}
            onMove={onMove}
          />
        )}
        <span className="space" />
        <IconButton icon="external-link" href={`/c${pathOf(collection)}/${rowKey}`} label={t.grid.openPage} />
        <IconButton icon="x" label={t.app.close} onClick={onClose} />
      </header>
      <StoredRow key={rowKey} collection={collection} rowKey={rowKey} isPanel />
    </aside>
  );
}
