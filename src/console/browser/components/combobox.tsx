/** A text input with a list of options (ARIA combobox). The popup is in the top layer, so it works within dialogs. */
import { type KeyboardEvent as KeyEvent, type ReactNode, useId, useRef, useState } from 'react';
import { t } from '../i18n/text.ts';
import { useEarlyEnter } from './early-enter.ts';
import { usePopover } from './popover.ts';

export interface ComboboxOption {
  readonly label: string;
  /** The label with marks. */
  readonly shown?: ReactNode;
  /** Shown behind the label. */
  readonly hint?: string;
}

interface ComboboxProps<Of extends ComboboxOption> {
  readonly id: string;
  /** The name, if the input has no label. */
  readonly name?: string;
  readonly placeholder?: string;
  /** The text that was typed before. */
  readonly start?: string | undefined;
  /** Whether the options are always shown, below the input. */
  readonly isInline?: boolean;
  /** The label of the chosen option. */
  readonly text: string;
  readonly options: readonly Of[];
  readonly isLoading?: boolean;
  /** Whether Enter also ends the input without a choice. By default it waits for the options. */
  readonly isQuick?: boolean | undefined;
  readonly onType: (typed: string) => void;
  /** Undefined clears the choice. */
  readonly onChoose: (option: Of | undefined) => void;
  /** Takes a typed text without a choice, which is dropped otherwise. */
  readonly onLeave?: (typed: string) => void;
  /** Offers a further option below the others, such as to create a row. */
  readonly onCreate?:
    | { readonly label: (typed: string) => string; readonly create: (typed: string) => void }
    | undefined;
  readonly isRequired?: boolean | undefined;
  readonly isInvalid?: boolean | undefined;
  readonly isDisabled?: boolean | undefined;
  readonly isFocused?: boolean | undefined;
  readonly describedBy?: string | undefined;
}

export function Combobox<Of extends ComboboxOption>(props: ComboboxProps<Of>) {
  const { id, text, options, isLoading, onType, onChoose, onLeave, onCreate, isInline = false, start } = props;
  /** Undefined while the person does not type. */
  const [typed, setTyped] = useState(start);
  const [at, setAt] = useState(0);
  const isOpen = isInline || typed !== undefined;
  const input = useRef<HTMLInputElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  const listId = useId();
  usePopover(isOpen && !isInline, input, popup);
  const canCreate = onCreate !== undefined && (typed ?? '').trim() !== '';
  const count = options.length + (canCreate ? 1 : 0);
  const setEntered = useEarlyEnter(isLoading === true, input);
  const open = (next: string) => {
    setEntered(false);
    setTyped(next);
    setAt(next === '' ? -1 : 0);
    onType(next);
  };
  const close = () => !isInline && setTyped(undefined);
  const leave = () => {
    if (typed !== undefined && typed.trim() !== '') onLeave?.(typed.trim());
    close();
  };
  const choose = (index: number) => {
    if (index < options.length) onChoose(options[index]);
    else onCreate?.create(typed!.trim());
    close();
  };
  const onKeyDown = (event: KeyEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!isOpen) return open('');
      if (count > 0) setAt(event.key === 'ArrowDown' ? (at + 1) % count : (Math.max(at, 0) + count - 1) % count);
    } else if (event.key === 'Enter' && isOpen) {
      const isEarly = isLoading && options.length === 0;
      const isChosen = !isEarly && at >= 0 && at < count;
      // Without a choice, the grid saves the text and moves on.
      if (isChosen || !props.isQuick) event.preventDefault();
      if (isChosen) choose(at);
      else if (isEarly && !props.isQuick) setEntered(true);
      else leave();
    } else if (event.key === 'Tab' && typed?.trim() && options.length === 1 && !isLoading) {
      // The browser, or the grid, moves on.
      choose(0);
    } else if ((event.key === 'Backspace' || event.key === 'Delete') && typed === '' && text !== '') {
      onChoose(undefined);
    } else if (event.key === 'Escape' && isOpen && !isInline) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };
  const option = (index: number, label: string, hint?: string, shown: ReactNode = label) => (
    <div
      key={`${index} ${label}`}
      id={`${listId}-${index}`}
      className="item"
      role="option"
      aria-selected={index === at}
      tabIndex={-1}
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => choose(index)}
      onKeyDown={onKeyDown}
    >
      {shown}
      {hint !== undefined && <span className="help">{hint}</span>}
    </div>
  );
  return (
    <>
      <input
        ref={input}
        id={id}
        type="text"
        role="combobox"
        aria-label={props.name}
        autoComplete="off"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && at >= 0 && at < count ? `${listId}-${at}` : undefined}
        aria-invalid={props.isInvalid}
        aria-describedby={props.describedBy}
        required={props.isRequired}
        disabled={props.isDisabled}
        autoFocus={props.isFocused}
        value={typed ?? text}
        placeholder={isOpen && text !== '' ? text : (props.placeholder ?? t.fields.choose)}
        onChange={({ target }) => {
          if (target.value === '' && !isOpen) onChoose(undefined);
          open(target.value);
        }}
        onClick={() => !isOpen && open('')}
        onKeyDown={onKeyDown}
        onBlur={leave}
      />
      <div
        ref={popup}
        id={listId}
        role="listbox"
        aria-label={props.name ?? t.fields.choose}
        {...(!isInline && { popover: 'manual', className: 'menu' })}
      >
        {isOpen && options.map(({ label, hint, shown }, index) => option(index, label, hint, shown))}
        {canCreate && option(options.length, onCreate.label(typed!.trim()))}
        {isOpen && count === 0 && (
          <div className="help" role="presentation">
            {isLoading ? t.fields.searching : t.fields.noMatches}
          </div>
        )}
      </div>
    </>
  );
}
