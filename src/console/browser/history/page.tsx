/** The changes of a day by request: who changed what, with restore of a value, a row or a whole request. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { goTo, useAddress } from '../api/address.ts';
import { collectionNamed, collections, titleOfCollection } from '../api/catalogue.ts';
import { MAX_REQUESTS, readRequests } from '../api/changes.ts';
import { useFeed } from '../api/feed.ts';
import type { Pair } from '../api/query/list.ts';
import { queryText } from '../api/query/text.ts';
import { queryClient } from '../api/query-client.ts';
import { hidesActors } from '../api/session/page-data.ts';
import { Button } from '../components/button.tsx';
import { Select, TextField } from '../components/inputs.tsx';
import { EmptyState, PageTitle } from '../components/small.tsx';
import { dayFilters, dayOf, nextDay } from '../fields/dates.ts';
import { t } from '../i18n/text.ts';
import { LogState } from './change-list.tsx';
import { RequestEntry } from './request-entry.tsx';

const SHOWN = 50;
/** A person without a name: the service has no roles, or another program wrote. */
const NOBODY = '-';

export default function ChangesPage() {
  const wanted = new URLSearchParams(useAddress().query);
  const wantedDay = wanted.get('day') ?? '';
  const day = Number.isNaN(Date.parse(`${wantedDay}T00:00`)) ? dayOf(new Date()) : wantedDay;
  const [actor, collection] = [wanted.get('actor') ?? '', wanted.get('collection') ?? ''];
  const [shown, setShown] = useState(SHOWN);
  const change = (name: string, value: string) => {
    const next = new Map([...wanted, [name, value] as const]);
    const pairs = [...next].filter(([, each]) => each !== '');
    setShown(SHOWN);
    goTo(`/changes${pairs.length === 0 ? '' : `?${queryText(pairs)}`}`);
  };
  const filters: readonly Pair[] = [
    ...dayFilters(day),
    ...(collection === '' ? [] : [['collection', `eq.${collection}`] as const]),
  ];
  const query = useQuery({
    queryKey: ['changes', 'requests', ...filters.flat()],
    queryFn: ({ signal }) => readRequests(filters, signal),
    placeholderData: (before) => before,
  });
  const { data } = query;
  useNewChanges();
  const people = [...new Set(data?.map((each) => each.actor ?? NOBODY))].sort();
  const requests = data?.filter((each) => actor === '' || (each.actor ?? NOBODY) === actor);
  return (
    <section className="page changes-page">
      <PageTitle title={t.app.changes} />
      <div className="changes-bar line wrap">
        <TextField
          label={t.history.day}
          type="date"
          value={day}
          max={dayOf(new Date())}
          onChange={(next) => change('day', next)}
        />
        <Button onClick={() => change('day', nextDay(day, -1))}>{t.history.previousDay}</Button>
        {!hidesActors && (
          <Select
            label={t.history.person}
            value={actor}
            empty={t.history.everybody}
            options={people.map((each) => [each, each === NOBODY ? t.history.unknown : each] as const)}
            onChange={(next) => change('actor', next)}
          />
        )}
        <Select
          label={t.history.collection}
          value={collection}
          empty={t.history.allCollections}
          options={collections.map((each) => [each.name, titleOfCollection(each)] as const)}
          onChange={(next) => change('collection', next)}
        />
      </div>
      <LogState query={query} />
      {data?.length === MAX_REQUESTS && <p className="problem">{t.history.tooMany(MAX_REQUESTS)}</p>}
      {requests?.length === 0 && (
        <EmptyState title={t.history.noChanges} text={t.history.noChangesText}>
          <Button onClick={() => change('day', nextDay(day, -1))}>{t.history.previousDay}</Button>
        </EmptyState>
      )}
      <ul className="stack">
        {requests?.slice(0, shown).map((each) => (
          <RequestEntry
            key={`${each.id} ${each.actor}`}
            request={{ ...each, parts: each.parts.filter((part) => collectionNamed(part.collection) !== undefined) }}
            filters={filters}
          />
        ))}
      </ul>
      {requests !== undefined && requests.length > shown && (
        <Button onClick={() => setShown(shown + SHOWN)}>{t.history.more}</Button>
      )}
    </section>
  );
}

function useNewChanges(): void {
  const [since] = useState(() => new Date().toISOString());
  useFeed(`/catalogue/changes?select=seq&at=gte.${since}`, (events) => {
    if (events.some(({ kind }) => kind === 'insert' || kind === 'reset'))
      void queryClient.invalidateQueries({ queryKey: ['changes'] });
  });
}
