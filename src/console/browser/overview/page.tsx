/** The overview: cards and charts of all collections, each a link to its list. A person chooses which. */
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { mainCollections, titleOfCollection } from '../api/catalogue.ts';
import { explain } from '../api/explain.ts';
import { listAddress, listOf, type Pair } from '../api/query/list.ts';
import { browserStorage } from '../base/storage.ts';
import { Store, useStore } from '../base/store.ts';
import { Button, IconButton } from '../components/button.tsx';
import { Dialog, showDialog } from '../components/dialog.tsx';
import { Check } from '../components/inputs.tsx';
import { PageTitle } from '../components/small.tsx';
import { formatDecimal } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import type { Figure } from './figures.ts';
import { type Widget, widgets } from './widgets.ts';

export default function OverviewPage() {
  const all = useMemo(widgets, []);
  const pins = usePins(all);
  const results = useQueries({
    queries: pins.pinned.map(({ id, collection, load }) => ({
      queryKey: ['figures', collection.name, id],
      // A query must not return undefined.
      queryFn: async () => (await load()) ?? null,
      retry: false,
    })),
  });
  const failed = results.filter(({ error, isFetching }) => error !== null && !isFetching);
  const reasons = [...new Set(failed.map(({ error }) => explain(error)))];
  const refresh = (some: typeof results) => void Promise.all(some.map(({ refetch }) => refetch()));
  const shown = pins.pinned.map((widget, at) => ({ widget, figure: results[at]!.data }));
  return (
    <div className="page overview" aria-busy={results.some(({ isFetching }) => isFetching)}>
      <header className="line wrap">
        <PageTitle title={t.app.overview} />
        <span className="space" />
        <Button icon="rotate-ccw" onClick={() => refresh(results)}>
          {t.overview.refresh}
        </Button>
        <Button icon="plus" onClick={() => showDialog(<ChooseDialog all={all} />)}>
          {t.overview.choose}
        </Button>
      </header>
      {reasons.length > 0 && (
        <div className="notice danger line wrap" role="alert">
          <span>{`${t.overview.failed} ${reasons.join(' ')}`}</span>
          <Button onClick={() => refresh(failed)}>{t.app.retry}</Button>
        </div>
      )}
      <div className="cards">
        {shown.map(
          ({ widget, figure }) =>
            !widget.isChart && <Card key={widget.id} widget={widget} figure={figure} unpin={pins.unpin} />,
        )}
      </div>
      <div className="charts">
        {shown.map(
          ({ widget, figure }) =>
            widget.isChart && <Chart key={widget.id} widget={widget} figure={figure} unpin={pins.unpin} />,
        )}
      </div>
    </div>
  );
}

interface WidgetProps {
  readonly widget: Widget;
  /** Undefined while it loads; null if there is nothing to show. */
  readonly figure: Figure | null | undefined;
  readonly unpin: (id: string) => void;
}

const addressOf = ({ collection }: Widget, filters: readonly Pair[]) => listAddress(listOf(collection, filters));

function UnpinButton({ widget, unpin }: Omit<WidgetProps, 'figure'>) {
  return (
    <IconButton
      icon="pin-off"
      label={t.overview.unpin(widget.title)}
      className="small unpin"
      onClick={() => unpin(widget.id)}
    />
  );
}

function Card({ widget, figure, unpin }: WidgetProps) {
  const hasValue = figure != null && 'value' in figure;
  return (
    <section className="card panel" data-figure={widget.id}>
      <Link className="stack" href={addressOf(widget, hasValue ? figure.filters : [])}>
        <span className="figure" title={figure === null ? t.overview.tooMany : undefined}>
          {hasValue ? format(widget, figure.value) : figure === null ? '–' : '…'}
        </span>
        <span className="card-title">{widget.title}</span>
      </Link>
      <UnpinButton widget={widget} unpin={unpin} />
    </section>
  );
}

function Chart({ widget, figure, unpin }: WidgetProps) {
  const bars = figure != null && 'bars' in figure ? figure.bars : [];
  const most = Math.max(...bars.map(({ value }) => value), 1);
  return (
    <section className="card chart panel" data-panel={widget.id}>
      <h2>
        <span>{widget.title}</span>
        <UnpinButton widget={widget} unpin={unpin} />
      </h2>
      <ul>
        {bars.map((bar) => (
          <li key={bar.filters[0]?.[1] ?? bar.label}>
            <Link className="item" href={addressOf(widget, bar.filters)} data-value={bar.value}>
              <span className="one-line" title={bar.label}>
                {bar.label}
              </span>
              <svg width="100%" height="12" aria-hidden="true">
                <rect width={`${Math.max((100 * bar.value) / most, 0)}%`} height="12" rx="3" />
              </svg>
              <span className="number">{format(widget, bar.value)}</span>
            </Link>
          </li>
        ))}
      </ul>
      {figure === undefined ? <p className="help">{t.app.loading}</p> : null}
      {figure === null && <p className="help">{t.overview.tooMany}</p>}
      {figure != null && bars.length === 0 && <p className="help">{t.overview.empty}</p>}
      {figure != null && 'bars' in figure && figure.hasMore && <p className="help">{t.overview.more}</p>}
    </section>
  );
}

/** Large amounts have no cents. */
function format({ hasDecimals }: Widget, value: number): string {
  return hasDecimals && Math.abs(value) < 1e6
    ? formatDecimal(value, 2, 2)
    : formatDecimal(value, 0, hasDecimals ? 0 : 2);
}

/** The pinned cards and charts of a person, in this browser. */
const STORED = 'catalogue.overview';

const ids = browserStorage.getJson(STORED);
/** Undefined before any choice. */
const chosenIds = new Store<readonly string[] | undefined>(Array.isArray(ids) ? ids : undefined);

function usePins(all: readonly Widget[]) {
  const stored = useStore(chosenIds);
  const ids = stored ?? all.filter(({ isDefault }) => isDefault).map(({ id }) => id);
  const store = (next: readonly string[] | undefined) => {
    browserStorage.setJson(STORED, next);
    chosenIds.set(next);
  };
  return {
    // A widget of a former declaration is skipped.
    pinned: ids.flatMap((id) => all.find((each) => each.id === id) ?? []),
    isChanged: stored !== undefined,
    pin: (id: string) => store([...ids, id]),
    unpin: (id: string) => store(ids.filter((each) => each !== id)),
    reset: () => store(undefined),
  };
}

/** All cards and charts by collection, as checkboxes. */
function ChooseDialog({ all }: { readonly all: readonly Widget[] }) {
  const pins = usePins(all);
  const isPinned = (id: string) => pins.pinned.some((each) => each.id === id);
  return (
    <Dialog
      title={t.overview.choose}
      actions={pins.isChanged && <Button onClick={pins.reset}>{t.overview.reset}</Button>}
    >
      {mainCollections.map((collection) => (
        <fieldset key={collection.name}>
          <legend>{titleOfCollection(collection)}</legend>
          {all
            .filter((each) => each.collection === collection)
            .map(({ id, title, isChart }) => (
              <Check key={id} checked={isPinned(id)} onChange={(isOn) => (isOn ? pins.pin(id) : pins.unpin(id))}>
                {isChart ? t.overview.chart(title) : title}
              </Check>
            ))}
        </fieldset>
      ))}
    </Dialog>
  );
}
