/** The menu to export a list: the checked rows, or all rows that match. */
import { useRef, useState } from 'react';
import type { Row } from '../api/catalogue.ts';
import type { ListQuery } from '../api/query/list.ts';
import { Button } from '../components/button.tsx';
import { Menu } from '../components/menu.tsx';
import { notify, notifyError } from '../components/toasts.tsx';
import { formatNumber } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import type { Format } from './formats.ts';

const FORMATS: readonly Format[] = ['xlsx', 'csv', 'json'];

interface ExportMenuProps {
  readonly query: ListQuery;
  /** The checked rows; undefined or empty for all rows of the list. */
  readonly rows: readonly Row[] | undefined;
}

export function ExportMenu({ query, rows }: ExportMenuProps) {
  const [count, setCount] = useState<number>();
  const running = useRef<AbortController>(undefined);
  const checked = rows === undefined || rows.length === 0 ? undefined : rows;
  const save = async (format: Format) => {
    running.current?.abort();
    const control = new AbortController();
    running.current = control;
    setCount(0);
    try {
      const { exportRows } = await import('./export-rows.ts');
      const done = await exportRows({ query, format, rows: checked, signal: control.signal, onProgress: setCount });
      notify(t.exporting.done(done));
    } catch (error) {
      if (!control.signal.aborted) notifyError(error);
    }
    if (running.current === control) setCount(undefined);
  };
  const label = checked === undefined ? t.exporting.open : t.exporting.openSelected(checked.length);
  const items = FORMATS.map((format) => ({ label: t.exporting.formats[format], onChoose: () => void save(format) }));
  return (
    <>
      {count !== undefined && (
        <Button
          icon="x"
          aria-label={t.exporting.running(count)}
          title={t.exporting.stop}
          onClick={() => running.current?.abort()}
        >
          {formatNumber(count)}
        </Button>
      )}
      <Menu icon="download" label={label} text={label} className="button" groups={[{ items }]} />
    </>
  );
}
