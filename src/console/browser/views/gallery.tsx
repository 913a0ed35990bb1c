/** A list as pictures: a card for each row, with its title and a few values. More rows load at the end. */
import { ImageOff } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { type Collection, type Row, titleFieldOf, titleOf } from '../api/catalogue.ts';
import { keyText, rowAddress } from '../api/keys.ts';
import type { ListQuery } from '../api/list.ts';
import { useRows } from '../api/queries.ts';
import { ErrorMessage, Skeleton } from '../components/small.tsx';
import { fileIds, isPictureAddress } from '../fields/file.tsx';
import { formatValue } from '../fields/registry.ts';
import { Picture } from '../files/picture.tsx';
import { NoRows } from '../grid/no-rows.tsx';
import { t } from '../i18n/text.ts';
import { pictureFieldOf } from './layout.ts';

const STEP = 60;
const SIZE = 256;
/** Values below the title. */
const MAX_VALUES = 3;

export default function Gallery({ query }: { readonly query: ListQuery }) {
  const [count, setCount] = useState(STEP);
  const { rowAt, total, error, refetch } = useRows(query, 0, count - 1);
  const end = useRef<HTMLDivElement>(null);
  const isWhole = total !== undefined && count >= total;
  useEffect(() => {
    if (end.current === null || isWhole) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setCount(count + STEP));
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [count, isWhole]);
  if (error !== null) return <ErrorMessage error={error} onRetry={refetch} />;
  if (total === undefined) return <Skeleton />;
  if (total === 0) return <NoRows query={query} />;
  const rows = Array.from({ length: Math.min(count, total) }, (_, at) => rowAt(at));
  return (
    <div className="gallery-scroll">
      <ul className="gallery" aria-label={t.views.layouts.gallery}>
        {rows.map(
          (row) => row && <Card key={keyText(query.collection, row)} collection={query.collection} row={row} />,
        )}
      </ul>
      <div ref={end} />
    </div>
  );
}

function Card({ collection, row }: { readonly collection: Collection; readonly row: Row }) {
  const picture = pictureFieldOf(collection)!;
  const [first] = fileIds(row[picture.name]);
  const title = titleFieldOf(collection);
  const values = collection.fields
    .filter((field) => field !== title && field !== picture && !collection.key.includes(field))
    .map((field) => formatValue({ collection, field }, row[field.name]))
    .filter((text) => text !== '');
  return (
    <li>
      <Link href={rowAddress(collection, row)} className="card">
        {first === undefined ? (
          <span className="card-picture">
            <ImageOff size={32} aria-hidden />
          </span>
        ) : isPictureAddress({ field: picture }) ? (
          <img className="card-picture" src={first} alt="" loading="lazy" referrerPolicy="no-referrer" />
        ) : (
          <Picture id={first} size={SIZE} alt="" className="card-picture" />
        )}
        <strong>{titleOf(collection, row)}</strong>
        <span className="help">{values.slice(0, MAX_VALUES).join(' · ')}</span>
      </Link>
    </li>
  );
}
