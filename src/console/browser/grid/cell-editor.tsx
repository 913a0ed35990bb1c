/** The input within a cell. The grid keeps the typed text, so that a click elsewhere can save it. */
import { type FocusEvent, useLayoutEffect, useRef } from 'react';
import { labelOf } from '../api/catalogue.ts';
import type { FieldPlace } from '../fields/kind.ts';
import { kindOf } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';

export interface Editing {
  readonly text: string;
  readonly problem?: string | undefined;
  /** Whether typing began the edit; then the arrow keys save and move on. */
  readonly isTyped: boolean;
}

interface CellEditorProps extends FieldPlace {
  readonly title: string;
  readonly editing: Editing;
  readonly isQuick: boolean;
  readonly onChange: (text: string) => void;
  readonly onLeave: () => void;
}

export function CellEditor({ title, editing, onChange, onLeave, ...place }: CellEditorProps) {
  const { Input } = kindOf(place);
  const element = useRef<HTMLDivElement>(null);
  const { problem, isTyped, text } = editing;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first text is selected
  useLayoutEffect(() => {
    const input = element.current!.querySelector<HTMLInputElement>('input, textarea, select');
    input?.setAttribute('aria-label', t.app.valueOf(labelOf(place.field), title));
    input?.focus();
    if (!isTyped && input instanceof HTMLInputElement && input.type === 'text') input.select();
    if (input instanceof HTMLTextAreaElement) input.setSelectionRange(text.length, text.length);
    const own = element.current!.getBoundingClientRect();
    const table = element.current!.closest('[role=grid]')!.getBoundingClientRect();
    // It opens towards the middle of the table.
    if (own.right > table.right) element.current!.style.insetInline = 'auto 0';
    if (own.bottom > table.bottom) element.current!.style.insetBlock = 'auto 0';
  }, []);
  const onBlur = (event: FocusEvent) => {
    const isInside = element.current!.contains(event.relatedTarget);
    if (!isInside && document.hasFocus()) onLeave();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the input within it loses the focus
    <div ref={element} className="cell-editor" onBlur={onBlur}>
      <Input
        {...place}
        id="cell-editor"
        text={text}
        isFocused
        isInvalid={problem === undefined ? undefined : true}
        describedBy={problem === undefined ? undefined : 'cell-problem'}
        onChange={onChange}
      />
      {problem !== undefined && (
        <p id="cell-problem" className="cell-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
