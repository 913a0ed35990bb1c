/**
 * Menu buttons, and the context menu of the page. Arrow keys, Home, End and letters move among the items; Escape and
 * Tab close it.
 */
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { Store, useStore } from '../base/store.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-shapes.ts';
import { usePopover } from './popover.ts';

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  /** Set for a choice among items. */
  readonly isChecked?: boolean;
  readonly onChoose: () => unknown;
}

/** A heading and the items below it. False stands for an item that the person may not choose. */
export interface MenuGroup {
  readonly label?: string;
  readonly items: readonly (MenuItem | false)[];
}

/** The items of a choice. */
export const choiceItems = <Of,>(
  options: readonly Of[],
  chosen: Of,
  nameOf: (option: Of) => string,
  choose: (option: Of) => unknown,
): readonly MenuItem[] =>
  options.map((each) => ({ label: nameOf(each), isChecked: each === chosen, onChoose: () => choose(each) }));

interface MenuProps {
  readonly label: string;
  readonly groups: readonly MenuGroup[];
  readonly icon: IconName;
  readonly className?: string;
  /** The visible text of the button. */
  readonly text?: string;
}

export function Menu({ label, groups, icon, className = 'icon-button', text }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const popup = useRef<HTMLDivElement>(null);
  const id = useId();
  return (
    <>
      <button
        type="button"
        className={className}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={id}
        popoverTarget={id}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          popup.current!.showPopover({ source: event.currentTarget });
        }}
      >
        <Icon name={icon} />
        {text}
      </button>
      <MenuItems popup={popup} id={id} label={label} groups={groups} isOpen={isOpen} onToggle={setOpen} />
    </>
  );
}

interface OpenMenu extends Pick<MenuProps, 'label' | 'groups'> {
  readonly x: number;
  readonly y: number;
}

const contextMenu = new Store<OpenMenu | undefined>(undefined);

/** Shows a menu at the pointer, or below an element for a key. */
export function showContextMenu(at: MouseEvent | Element, label: string, groups: readonly MenuGroup[]): void {
  const { left: x, bottom: y } =
    at instanceof Element ? at.getBoundingClientRect() : { left: at.clientX, bottom: at.clientY };
  contextMenu.set({ x, y, label, groups });
}

/** Whether a key asks for the context menu. Its own event would have the place of the focus only. */
export const isMenuKey = ({ key, shiftKey }: { readonly key: string; readonly shiftKey: boolean }): boolean =>
  key === 'ContextMenu' || (key === 'F10' && shiftKey);

/** The context menu of the page, within its main landmark. */
export function ContextMenu() {
  const menu = useStore(contextMenu);
  const main = document.getElementById('content') ?? document.body;
  return menu && createPortal(<MenuAtPoint key={`${menu.x} ${menu.y} ${menu.label}`} {...menu} />, main);
}

function MenuAtPoint({ x, y, label, groups }: OpenMenu) {
  const anchor = useRef<HTMLSpanElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  const id = useId();
  usePopover(true, anchor, popup);
  const onToggle = (isOpen: boolean) => isOpen || contextMenu.set(undefined);
  return (
    <>
      <span ref={anchor} className="menu-anchor" style={{ left: x, top: y }} />
      <MenuItems popup={popup} id={id} label={label} groups={groups} isOpen onToggle={onToggle} />
    </>
  );
}

interface MenuItemsProps extends Pick<MenuProps, 'label' | 'groups'> {
  readonly popup: RefObject<HTMLDivElement | null>;
  readonly id: string;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

function MenuItems({ popup, id, label, groups, isOpen, onToggle }: MenuItemsProps) {
  useEffect(() => {
    if (isOpen) itemsIn(popup.current)[0]?.focus();
  }, [isOpen, popup]);
  const shown = groups
    .map(({ label: heading, items }) => ({ label: heading, items: items.filter((each) => each !== false) }))
    .filter(({ items }) => items.length > 0);
  const close = () => popup.current!.hidePopover();
  const onKeyDown = (event: KeyboardEvent) => {
    // The browser closes the menu on Escape; nothing around it must do more.
    event.stopPropagation();
    const all = itemsIn(popup.current);
    const next = nextItem(event.key, all.indexOf(document.activeElement as HTMLElement), all);
    if (event.key === 'Tab') close();
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <div
      ref={popup}
      id={id}
      popover="auto"
      role="menu"
      tabIndex={-1}
      aria-label={label}
      className="menu"
      onKeyDown={onKeyDown}
      onToggle={({ newState }) => onToggle(newState === 'open')}
    >
      {isOpen &&
        shown.map(({ label: heading, items }) => (
          <div key={heading ?? items[0]!.label} role="group" aria-label={heading}>
            {heading !== undefined && <div className="help">{heading}</div>}
            {items.map(({ label: text, icon, isChecked, onChoose }, at) => (
              <button
                // biome-ignore lint/suspicious/noArrayIndexKey: two items may have one label
                key={at}
                type="button"
                className="item"
                role={isChecked === undefined ? 'menuitem' : 'menuitemradio'}
                {...(isChecked !== undefined && { 'aria-checked': isChecked })}
                tabIndex={-1}
                onClick={() => {
                  close();
                  onChoose();
                }}
              >
                <Icon name={icon} />
                {text}
              </button>
            ))}
          </div>
        ))}
    </div>
  );
}

function itemsIn(popup: HTMLElement | null): readonly HTMLElement[] {
  return [...(popup?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];
}

/** The item that a key leads to. */
export function nextItem(key: string, at: number, all: readonly HTMLElement[]): HTMLElement | undefined {
  if (key === 'ArrowDown') return all[(at + 1) % all.length];
  if (key === 'ArrowUp') return all.at(at - 1);
  if (key === 'Home') return all[0];
  if (key === 'End') return all.at(-1);
  if (key.length !== 1 || key === ' ') return undefined;
  const begins = (each: HTMLElement) => each.textContent?.trim().toLowerCase().startsWith(key.toLowerCase());
  return [...all.slice(at + 1), ...all.slice(0, at + 1)].find(begins);
}
