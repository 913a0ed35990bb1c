/** The menu of a column: sort, group, hide, move and fit. */
import { changeList, setOwn } from '../../api/address.ts';
import { type Field, labelOf } from '../../api/catalogue.ts';
import { GROUP, groupFields, type ListQuery } from '../../api/query/list.ts';
import { choiceItems, type MenuGroup, showContextMenu } from '../../components/menu.tsx';
import { kindOf } from '../../fields/registry.ts';
import { t } from '../../i18n/text.ts';
import {
  type ColumnSettings,
  columnsOf,
  FIGURES,
  moveColumn,
  setColumnSettings,
  toggleColumn,
  withFigure,
} from '../../views/columns.ts';

interface HeadMenuOptions {
  readonly query: ListQuery;
  readonly field: Field;
  readonly settings: ColumnSettings;
  readonly fit: () => void;
}

export function showHeadMenu(at: MouseEvent | Element, options: HeadMenuOptions): void {
  const { query, field, settings, fit } = options;
  const { collection, order } = query;
  const { name } = field;
  const visible = columnsOf(collection, settings).map((column) => column.field.name);
  const place = visible.indexOf(name);
  const set = (next: ColumnSettings) => () => setColumnSettings(query, next);
  const show = (changes: Partial<ListQuery>) => () => changeList(collection, changes);
  const sort = (isDescending: boolean) => show({ order: [{ name, isDescending }] });
  const others = order.filter((key) => key.name !== name);
  const moveTo = (to: string) => set(moveColumn(collection, settings, name, to));
  const hide = () => {
    setColumnSettings(query, toggleColumn(settings, name));
    // The head that had the focus is gone.
    document.querySelector<HTMLElement>('[role=grid]')!.focus();
  };
  const groups: readonly MenuGroup[] = [
    {
      items: [
        { label: t.grid.sortAscending, icon: 'arrow-up', onChoose: sort(false) },
        { label: t.grid.sortDescending, icon: 'arrow-down', onChoose: sort(true) },
        others.length < order.length && { label: t.grid.doNotSort, onChoose: show({ order: others }) },
        groupFields(collection).includes(field) && {
          label: t.views.groupBy(labelOf(field)),
          icon: 'rows-3',
          onChoose: () => setOwn(collection, GROUP, name),
        },
      ],
    },
    {
      items: [
        place > 1 && { label: t.grid.moveLeft, icon: 'arrow-left', onChoose: moveTo(visible[place - 1]!) },
        place > 0 &&
          place < visible.length - 1 && {
            label: t.grid.moveRight,
            icon: 'arrow-right',
            onChoose: moveTo(visible[place + 1]!),
          },
        { label: t.grid.fitWidth, onChoose: fit },
        place > 0 && { label: t.grid.hideColumn, icon: 'x', onChoose: hide },
      ],
    },
  ];
  const isNumber = kindOf({ collection, field }).name === 'number';
  const isOrdered = isNumber || kindOf({ collection, field }).name === 'date';
  const isPossible = { sum: isNumber, avg: isNumber, min: isOrdered, max: isOrdered, filled: true, empty: true };
  const items = choiceItems(
    [undefined, ...FIGURES.filter((each) => isPossible[each])],
    settings.figures?.[name],
    (each) => (each === undefined ? t.views.noGroups : t.grid.figures[each]),
    (each) => setColumnSettings(query, withFigure(settings, name, each)),
  );
  showContextMenu(at, labelOf(field), [...groups, { label: t.grid.figure, items }]);
}
