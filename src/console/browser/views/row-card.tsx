/** A row as a card: its picture, its title and the first columns of the list. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { type Field, labelOf, type Row, titleOf } from '../api/catalogue.ts';
import type { ListQuery } from '../api/query/list.ts';
import { rowAddress } from '../api/query/text.ts';
import { Icon } from '../components/icon.tsx';
import { fileIds, isPictureAddress } from '../fields/file.tsx';
import { kindOf } from '../fields/registry.ts';
import { Picture } from '../files/stored-files.tsx';
import { t } from '../i18n/text.ts';
import { columnsOf, useColumnSettings } from './columns.ts';
import { pictureFieldOf } from './layouts.ts';

/** Fields below the title. */
const SHOWN_FIELDS = 4;
const PICTURE_SIZE = 256;

/** The rows that the person has checked, for changes of many. */
export interface CardSelection {
  readonly has: (row: Row | undefined) => boolean;
  readonly toggle: (row: Row) => void;
}

interface RowCardProps {
  readonly selection?: CardSelection;
  readonly query: ListQuery;
  readonly row: Row;
  /** A field that the surroundings show already. */
  readonly omitted?: Field | undefined;
  readonly children?: ReactNode;
}

export function RowCard({ query, row, omitted, selection, children }: RowCardProps) {
  const { collection } = query;
  const settings = useColumnSettings(query);
  const picture = pictureFieldOf(collection);
  const shown = columnsOf(collection, settings)
    .filter(({ field, isFrozen }) => !isFrozen && field !== picture && field !== omitted)
    .filter(({ field }) => collection.key.length > 1 || !collection.key.includes(field))
    .filter(({ field }) => row[field.name] !== null && row[field.name] !== undefined)
    .slice(0, SHOWN_FIELDS);
  return (
    <article className="row-card panel stack" aria-label={titleOf(collection, row)}>
      {picture !== undefined && <CardPicture field={picture} row={row} />}
      {/* Below the heading of a column of the board, or of the page. */}
      <h3 className="line" aria-level={omitted === undefined ? 2 : 3}>
        {selection !== undefined && (
          <input
            type="checkbox"
            aria-label={t.grid.selectRow(titleOf(collection, row))}
            checked={selection.has(row)}
            onChange={() => selection.toggle(row)}
          />
        )}
        <Link href={rowAddress(collection, row)}>{titleOf(collection, row)}</Link>
      </h3>
      <dl>
        {shown.map(({ field }) => {
          const { Cell } = kindOf({ collection, field });
          return (
            <div key={field.name} data-field={field.name}>
              <dt>{labelOf(field)}</dt>
              <dd>
                <Cell collection={collection} field={field} row={row} />
              </dd>
            </div>
          );
        })}
      </dl>
      {children}
    </article>
  );
}

function CardPicture({ field, row }: { readonly field: Field; readonly row: Row }) {
  const [id] = fileIds(row[field.name]);
  if (id === undefined)
    return (
      <div className="card-picture">
        <Icon name="image-off" size={32} />
      </div>
    );
  if (isPictureAddress({ field }))
    return <img className="card-picture" src={id} alt="" loading="lazy" referrerPolicy="no-referrer" />;
  return <Picture id={id} size={PICTURE_SIZE} alt="" className="card-picture" />;
}
