/** A menu button. Arrow keys, Home, End and letters move among the items; Escape and Tab close it. */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-shapes.ts';

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  /** Set for a choice among items. */
  readonly isChecked?: boolean;
  readonly onChoose: () => void;
}

/** A heading and the items below it. */
export interface MenuGroup {
  readonly label?: string;
  readonly items: readonly MenuItem[];
}

interface MenuProps {
  readonly label: string;
  readonly groups: readonly MenuGroup[];
  readonly icon: IconName;
  readonly className?: string;
  /** The visible text of the button. */
  readonly children?: ReactNode;
}

export function Menu({ label, groups, icon, className = 'icon-button', children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const popup = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    if (isOpen) itemsIn(popup.current)[0]?.focus();
  }, [isOpen]);
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
        {children}
      </button>
      <div
        ref={popup}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        className="menu"
        onKeyDown={onKeyDown}
        onToggle={({ newState }) => setOpen(newState === 'open')}
      >
        {isOpen && groups.map((group) => <Group key={group.label ?? group.items[0]?.label} {...group} close={close} />)}
      </div>
    </>
  );
}

function itemsIn(popup: HTMLElement | null): readonly HTMLElement[] {
  return [...(popup?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];
}

function Group({ label, items, close }: MenuGroup & { readonly close: () => void }) {
  return (
    <div role="group" aria-label={label}>
      {label !== undefined && <div className="help">{label}</div>}
      {items.map((item) => (
        <button
          key={item.label}
          type="button"
          className="item"
          role={item.isChecked === undefined ? 'menuitem' : 'menuitemradio'}
          {...(item.isChecked === undefined ? {} : { 'aria-checked': item.isChecked })}
          tabIndex={-1}
          onClick={() => {
            close();
            item.onChoose();
          }}
        >
          <Icon name={item.icon} />
          {item.label}
        </button>
      ))}
    </div>
  );
}

function nextItem(key: string, at: number, all: readonly HTMLElement[]): HTMLElement | undefined {
  if (key === 'ArrowDown') return all[(at + 1) % all.length];
  if (key === 'ArrowUp') return all.at(at - 1);
  if (key === 'Home') return all[0];
  if (key === 'End') return all.at(-1);
  if (key.length !== 1 || key === ' ') return undefined;
  const begins = (each: HTMLElement) => each.textContent?.trim().toLowerCase().startsWith(key.toLowerCase());
  return [...all.slice(at + 1), ...all.slice(0, at + 1)].find(begins);
}
