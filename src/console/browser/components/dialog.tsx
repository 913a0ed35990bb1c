/** A modal dialog on the native element: focus stays inside, Escape closes it, and focus returns afterwards. */
import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { t } from '../i18n/text.ts';
import { Button } from './button.tsx';
import { LoginBar } from './login-bar.tsx';
import { ErrorMessage } from './small.tsx';

interface DialogProps {
  readonly title: string;
  /** Called on Escape and Cancel. */
  readonly onClose: () => void;
  /** Makes the dialog a form with this button. */
  readonly submit?: {
    readonly label: string;
    /** The button is disabled until the result is there. The dialog shows an error, and stays open. */
    readonly onSubmit: () => unknown;
    readonly isBusy?: boolean;
    readonly isDanger?: boolean;
  };
  /** More buttons, at the start of the foot. */
  readonly actions?: ReactNode;
  readonly size?: 'small' | 'large';
  /** Only the button closes the dialog: it shows what nobody can see again. */
  readonly isKept?: boolean;
  readonly children: ReactNode;
}

export function Dialog({ title, onClose, submit, actions, size = 'small', isKept = false, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [isSubmitting, setSubmitting] = useState(false);
  const [error, setError] = useState<unknown>();
  const isBusy = isSubmitting || submit?.isBusy === true;
  // Before the browser removes the element: only a dialog on the page returns the focus.
  useLayoutEffect(() => {
    const dialog = element.current!;
    if (!dialog.open) dialog.showModal();
    return () => dialog.close();
  }, []);
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    // The form that contains the dialog must not receive the event.
    event.stopPropagation();
    if (isBusy) return;
    setSubmitting(true);
    setError(undefined);
    try {
      await submit?.onSubmit();
    } catch (failure) {
      setError(failure);
    }
    setSubmitting(false);
  };
  return createPortal(
    <dialog
      ref={element}
      className={`dialog ${size}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!isKept) onClose();
      }}
      // A second Escape closes it without the event above.
      onClose={({ currentTarget }) => isKept && currentTarget.isConnected && currentTarget.showModal()}
    >
      {/* Nothing outside of a modal dialog can be used. */}
      <LoginBar />
      <form onSubmit={(event) => void onSubmit(event)} noValidate>
        <h2 id={id}>{title}</h2>
        {/* A keyboard must be able to scroll a long text without inputs. */}
        <div className="dialog-body" {...(size === 'large' && { tabIndex: 0 })}>
          {children}
          {error !== undefined && <ErrorMessage error={error} />}
        </div>
        <footer className="line wrap">
          {actions}
          {isSubmitting && <progress aria-label={t.app.loading} />}
          <span className="space" />
          <Button onClick={onClose}>{submit === undefined ? t.app.close : t.app.cancel}</Button>
          {submit !== undefined && (
            <Button type="submit" kind={submit.isDanger ? 'danger' : 'primary'} aria-disabled={isBusy}>
              {submit.label}
            </Button>
          )}
        </footer>
      </form>
    </dialog>,
    document.body,
  );
}
