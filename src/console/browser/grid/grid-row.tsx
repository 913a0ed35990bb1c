/** One row of the grid. It renders again only if its own cells change. */
import { memo } from 'react';
import { missingFields } from '../api/added-rows.ts';
import { type Collection, mayWrite, type Row, referenceOf, titleOf, translatedBy } from '../api/catalogue.ts';
import { rowAddress } from '../api/query/text.ts';
import { useStore } from '../base/store.ts';
import { IconButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Marked } from '../components/marked.tsx';
import { referencedAddress } from '../fields/reference.tsx';
import { formatValue, kindOf } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';
import type { Column } from '../views/columns.ts';
import { CellEditor } from './cell-editor.tsx';
import { cellName, unsavedCells } from './edits.ts';
import { cellId } from './selection.ts';
import type { ActiveEdit } from './use-grid.ts';
import { markedCells } from './use-live-rows.ts';

export interface GridRowProps {
  readonly collection: Collection;
  readonly columns: readonly Column[];
  readonly row: Row | undefined;
  /** Whether the row is a line of a new one. */
  readonly isLine: boolean;
  readonly index: number;
  /** The position among rows and heads of groups. */
  readonly line: number;
  readonly top: number;
  readonly isChecked: boolean;
  /** The selected columns of this row; none if `right` is smaller than `left`. */
  readonly left: number;
  readonly right: number;
  /** Whether the selection ends here, with the handle that repeats it. */
  readonly hasHandle: boolean;
  /** The active column, or -1. */
  readonly active: number;
  /** The names of other people who edit the row. */
  readonly editors: string;
  readonly edit: ActiveEdit | undefined;
  readonly actions: RowActions;
}

/** The functions of the grid. */
export interface RowActions {
  readonly check: (index: number, isRange: boolean) => void;
  readonly open: (index: number) => void;
  readonly setText: (text: string) => void;
  readonly commit: () => void;
}

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { collection, columns, row, index, line, top, isChecked, actions } = props;
  return (
    <div
      role="row"
      className={props.isLine ? 'grid-row new-line' : 'grid-row'}
      data-row={index}
      aria-rowindex={line + 2}
      style={{ transform: `translateY(${top}px)` }}
    >
      <div role="gridcell" aria-colindex={1} className="grid-cell check">
        {props.isLine && <Icon name="plus" />}
        {row !== undefined && !props.isLine && (
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={t.grid.selectRow(titleOf(collection, row))}
            checked={isChecked}
            onChange={({ nativeEvent }) => actions.check(index, (nativeEvent as MouseEvent).shiftKey)}
          />
        )}
      </div>
      {columns.map((column, at) => (
        <GridCell key={column.field.name} {...props} column={column} at={at} />
      ))}
    </div>
  );
});

/** Links of cells. The keys of the grid reach what they do. */
const LINK = { className: 'small', tabIndex: -1, draggable: false };

function GridCell(props: GridRowProps & { readonly column: Column; readonly at: number }) {
  const { collection, column, at, row, isLine, index, edit, actions } = props;
  const { field, isFrozen } = column;
  const { Cell, isRightAligned = false } = kindOf({ collection, field });
  const isSelected = at >= props.left && at <= props.right;
  const isEdited = edit?.place.column === at;
  const reference = referenceOf(collection, field) && (row?.[field.name] ?? undefined);
  const name = row === undefined ? '' : cellName(collection, row, field);
  /** The values that a new row still needs, once it has one. */
  const missing = isLine && Object.keys(row!).length > 0 ? missingFields(collection, row!) : [];
  const isUnsaved = useStore(unsavedCells, (cells) => cells.has(name));
  const isFailed = isUnsaved || missing.includes(field);
  const isMarked = useStore(markedCells, (cells) => cells.has(name));
  const classes = [
    'grid-cell',
    isFrozen && 'frozen',
    isRightAligned && 'number',
    isSelected && 'selected',
    at === props.active && 'active',
    isEdited && 'edited',
    isFailed && 'failed',
    isMarked && 'marked',
  ];
  return (
    <div
      {...(at === props.active && { id: cellId(index, at) })}
      role="gridcell"
      aria-colindex={at + 2}
      aria-selected={isSelected || undefined}
      aria-readonly={!mayWrite(collection, field, isLine) || undefined}
      aria-invalid={isFailed || undefined}
      data-field={field.name}
      className={classes.filter((each) => each).join(' ')}
    >
      {row === undefined ? (
        <span className="bar" />
      ) : isEdited ? (
        <CellEditor
          collection={collection}
          field={field}
          title={isLine ? t.record.newRow : titleOf(collection, row)}
          editing={edit}
          isQuick={!isLine}
          onChange={actions.setText}
          onLeave={actions.commit}
        />
      ) : (
        <>
          <span className="one-line">
            {/* A link would follow the click that selects the cell, or the first one of two that edit it. */}
            {reference !== undefined && formatValue({ collection, field }, reference)}
            {reference === undefined && (
              <Marked of={row} name={field.name} text={row[field.name]}>
                <Cell collection={collection} field={field} row={row} />
              </Marked>
            )}
            {!isLine && (row[field.name] ?? null) === null && <Untranslated {...props} row={row} />}
            {isLine && row[field.name] === undefined && (isFailed || (isFrozen && missing.length === 0)) && (
              <span className="help">{isFailed ? t.errors.required : t.grid.newRow}</span>
            )}
          </span>
          {isFrozen && props.editors !== '' && (
            <span
              className="editors"
              role="img"
              aria-label={t.record.editedBy(props.editors)}
              title={t.record.editedBy(props.editors)}
            >
              <Icon name="pencil" size={12} /> {props.editors}
            </span>
          )}
          {isFrozen && !isLine && (
            <IconButton
              {...LINK}
              icon="maximize-2"
              href={rowAddress(collection, row)}
              label={t.app.openItem(titleOf(collection, row))}
              onClick={(event) => {
                event.preventDefault();
                actions.open(index);
              }}
            />
          )}
          {reference !== undefined && (
            <IconButton
              {...LINK}
              icon="external-link"
              href={referencedAddress({ collection, field }, reference)}
              label={t.app.openItem(formatValue({ collection, field }, reference))}
            />
          )}
          {props.hasHandle && !isLine && at === props.right && (
            <span className="fill-handle" title={t.grid.fillHandle} />
          )}
        </>
      )}
    </div>
  );
}

/** In place of a missing translation, the text that readers of its language get. */
function Untranslated({ collection, column, row }: GridRowProps & { readonly column: Column; readonly row: Row }) {
  const value = row[translatedBy(collection, column.field)?.of.name ?? ''] ?? null;
  if (value === null) return null;
  return (
    <span className="untranslated" title={t.views.untranslated}>
      {String(value)} <span className="visually-hidden">({t.views.untranslated})</span>
    </span>
  );
}
