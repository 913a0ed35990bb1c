/**
 * A list whose rows refer to each other as a tree. Levels load when they are opened. A row is moved by dragging, by
 * Alt+Shift with the arrow keys, or by its menu.
 */
import { useQuery } from '@tanstack/react-query';
import { createContext, type KeyboardEvent, useContext, useEffect, useRef, useState } from 'react';
import { type Field, mayWrite, type Row, titleOf } from '../api/catalogue.ts';
import { useRows } from '../api/queries.ts';
import type { ListQuery, Pair } from '../api/query/list.ts';
import { equals, keyText } from '../api/query/text.ts';
import { Button } from '../components/button.tsx';
import { showDialog } from '../components/dialog.tsx';
import { type Dragged, useDragged } from '../components/drag.ts';
import { Icon } from '../components/icon.tsx';
import { isMenuKey, showContextMenu } from '../components/menu.tsx';
import { ErrorMessage, Skeleton } from '../components/small.tsx';
import { notifyError } from '../components/toasts.tsx';
import { formatNumber } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import { NoRows } from './no-rows.tsx';
import { MoveDialog, moveRow, Referrers, readCounts } from './tree-parts.tsx';

/** Rows of a level that are loaded at once. */
const STEP = 200;

interface TreeProps {
  readonly query: ListQuery;
  /** The reference to the row above. */
  readonly field: Field;
  readonly open: (key: string) => void;
}

interface TreeState extends TreeProps {
  readonly expanded: ReadonlySet<string>;
  readonly expand: (key: string, isOpen: boolean) => void;
  /** The row that the keys act on. */
  readonly active: string | undefined;
  readonly setActive: (key: string) => void;
  readonly move: (row: Row, to: Row | null) => void;
  readonly dragged: Dragged<Row>;
}

const Tree = createContext<TreeState | undefined>(undefined);

export default function TreeView({ query, field, open }: TreeProps) {
  const { collection, filters, search } = query;
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState<string>();
  const dragged = useDragged<Row>();
  const expand = (key: string, isOpen: boolean) =>
    setExpanded((before) => new Set(isOpen ? [...before, key] : [...before].filter((each) => each !== key)));
  const move = (row: Row, to: Row | null) => {
    setActive(keyText(collection, row));
    if (to !== null) expand(keyText(collection, to), true);
    void moveRow(collection, field, row, to).catch(notifyError);
  };
  const state = { query, field, open, expanded, expand, active, setActive, move, dragged };
  const isFiltered = filters.length > 0 || search !== '';
  return (
    <Tree value={state}>
      {/* A row dropped beside the others moves to the top. */}
      <div className="tree" {...dragged.target((row) => move(row, null))}>
        <p className="help">{t.views.treeHint}</p>
        <Level above={[]} filters={isFiltered ? filters : [[field.name, 'is.null']]} />
      </div>
    </Tree>
  );
}

/** The rows below a row, or those at the top. `above` has the rows that lead to them. */
function Level({ above, filters }: { readonly above: readonly Row[]; readonly filters: readonly Pair[] }) {
  const { query, field } = useContext(Tree)!;
  const { collection } = query;
  const [count, setCount] = useState(STEP);
  const level = { ...query, filters, search: above.length === 0 ? query.search : '' };
  const { firstRows, total = 0, error, isLoading, refetch } = useRows(level, 0, count - 1);
  const rows = firstRows(count);
  const keys = rows.map((row) => row[collection.key[0]!.name] ?? null);
  const { data: below } = useQuery({
    queryKey: ['list', collection.name, 'below', field.name, keys],
    queryFn: () => readCounts(collection, field, keys),
    enabled: keys.length > 0,
    placeholderData: (before) => before,
  });
  if (error !== null) return <ErrorMessage error={error} onRetry={refetch} />;
  if (isLoading) return <Skeleton lines={3} />;
  if (total === 0) return above.length === 0 ? <NoRows query={query} /> : null;
  return (
    <ul role={above.length === 0 ? 'tree' : 'group'} aria-label={above.length === 0 ? t.grid.label : undefined}>
      {rows.map((row, at) => {
        const key = keyText(collection, row);
        const branch = { row, above, before: rows[at - 1], below: below?.get(key) ?? 0 };
        return <Branch key={key} {...branch} isFirst={above.length === 0 && at === 0} />;
      })}
      {total > count && (
        <li role="none">
          <Button onClick={() => setCount(count + STEP)}>{t.history.more}</Button>
        </li>
      )}
    </ul>
  );
}

interface BranchProps {
  readonly row: Row;
  readonly above: readonly Row[];
  /** The row before it, on the same level. */
  readonly before: Row | undefined;
  readonly below: number;
  readonly isFirst: boolean;
}

function Branch({ row, above, before, below, isFirst }: BranchProps) {
  const tree = useContext(Tree)!;
  const { query, field, expanded, expand, active, setActive, move, dragged } = tree;
  const { collection } = query;
  const key = keyText(collection, row);
  const title = titleOf(collection, row);
  const item = useRef<HTMLDivElement>(null);
  const isOpen = expanded.has(key) && below > 0;
  const isActive = active === key || (active === undefined && isFirst);
  const mayMove = mayWrite(collection, field, false);
  // A moved row appears elsewhere, and keeps the focus.
  useEffect(() => {
    if (active === key) item.current?.focus();
  }, [active, key]);
  const chooseParent = () => showDialog(<MoveDialog place={{ collection, field }} row={row} />);
  const showMenu = (at: MouseEvent | Element) =>
    showContextMenu(at, title, [
      { items: [{ label: t.grid.openRow, icon: 'maximize-2', onChoose: () => tree.open(key) }] },
      {
        items: [
          mayMove && { label: t.views.moveTo, icon: 'arrow-right-left', onChoose: chooseParent },
          mayMove && above.length > 0 && { label: t.views.moveToTop, onChoose: () => move(row, null) },
        ],
      },
    ]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const isMove = event.altKey && event.shiftKey && mayMove;
    const items = [...item.current!.closest('[role=tree]')!.querySelectorAll<HTMLElement>('[role=treeitem]')];
    const focus = (at: number) => items.at(at)?.focus();
    const at = items.indexOf(item.current!);
    const parent = above.at(-1);
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => focus(Math.min(at + 1, items.length - 1)),
      ArrowUp: () => focus(Math.max(at - 1, 0)),
      Home: () => focus(0),
      End: () => focus(-1),
      Enter: () => tree.open(key),
      ArrowRight: () => {
        if (isMove) before !== undefined && move(row, before);
        else if (isOpen) focus(at + 1);
        else expand(key, true);
      },
      ArrowLeft: () => {
        if (isMove) parent !== undefined && move(row, above.at(-2) ?? null);
        else if (isOpen) expand(key, false);
        else if (parent !== undefined) setActive(keyText(collection, parent));
      },
    };
    const action = isMenuKey(event) ? () => showMenu(item.current!) : actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
  return (
    <li role="none">
      <div
        ref={item}
        role="treeitem"
        className="line tree-line"
        aria-level={above.length + 1}
        aria-expanded={below > 0 ? isOpen : undefined}
        aria-selected={isActive}
        tabIndex={isActive ? 0 : -1}
        onFocus={(event) => event.target === event.currentTarget && setActive(key)}
        onClick={() => setActive(key)}
        onDoubleClick={() => tree.open(key)}
        onKeyDown={onKeyDown}
        onContextMenu={(event) => {
          event.preventDefault();
          showMenu(event.nativeEvent);
        }}
        {...dragged.source(row, mayMove)}
        {...dragged.target((from) => keyText(collection, from) !== key && move(from, row))}
      >
        <button
          type="button"
          className="icon-button small"
          tabIndex={-1}
          aria-hidden
          disabled={below === 0}
          onClick={() => expand(key, !isOpen)}
        >
          <Icon name={below === 0 ? undefined : isOpen ? 'chevron-down' : 'chevron-right'} />
        </button>
        <span className="one-line">{title}</span>
        {below > 0 && <span className="count">{formatNumber(below)}</span>}
        <Referrers collection={collection} row={row} />
      </div>
      {isOpen && <Level above={[...above, row]} filters={[[field.name, equals(row[collection.key[0]!.name])]]} />}
    </li>
  );
}
