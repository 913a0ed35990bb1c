/** A row beside its list, with the previous and the next one. */
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { titleOf } from '../api/catalogue.ts';
import { useRows } from '../api/queries.ts';
import { keyText, rowAddress } from '../api/query/keys.ts';
import type { ListQuery } from '../api/query/list.ts';
import { IconButton, Steps } from '../components/button.tsx';
import { Skeleton } from '../components/small.tsx';
import { t } from '../i18n/text.ts';
import { StoredRow } from '../record/page.tsx';

interface RowPanelProps {
  readonly query: ListQuery;
  readonly index: number;
  readonly onMove: (index: number) => void;
  readonly onClose: () => void;
}

export default function RowPanel({ query, index, onMove, onClose }: RowPanelProps) {
  const { collection } = query;
  const { rowAt, total = 0 } = useRows(query, index, index);
  const row = rowAt(index);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), []);
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
        <Steps
          icons={['chevron-up', 'chevron-down']}
          labels={[t.grid.previous, t.grid.next]}
          at={index}
          last={total - 1}
          onMove={onMove}
        />
        <span className="space" />
        {row !== undefined && (
          <IconButton icon="external-link" href={rowAddress(collection, row)} label={t.grid.openPage} />
        )}
        <IconButton icon="x" label={t.app.close} onClick={onClose} />
      </header>
      {row === undefined ? (
        <Skeleton />
      ) : (
        <StoredRow key={keyText(collection, row)} collection={collection} rowKey={keyText(collection, row)} isPanel />
      )}
    </aside>
  );
}
