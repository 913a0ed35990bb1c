/**
 * Modal dialogs on the native element: focus stays inside, Escape closes one, and focus returns afterwards. A page
 * shows a dialog with `showDialog`, and keeps no state of it.
 */
import {
  createContext,
  type FormEvent,
  isValidElement,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useLocation } from 'wouter';
import { giveUp, isLost } from '../api/session/connection.ts';
import { newId } from '../base/ids.ts';
import { Store, useStore } from '../base/store.ts';
import { t } from '../i18n/text.ts';
import { Button } from './button.tsx';
import { restoreFocus } from './focus.ts';
import { PageBars } from './page-bars.tsx';
import { ErrorMessage } from './small.tsx';

interface OpenDialog {
  readonly id: string;
  readonly dialog: ReactNode;
  readonly close: () => void;
}

const openDialogs = new Store<readonly OpenDialog[]>([]);
const Close = createContext(() => {});

/** Closes the dialog around a component. */
export const useClose = (): (() => void) => useContext(Close);

/** Shows a dialog above the page. Resolves when it is closed. */
export function showDialog(dialog: ReactNode): Promise<void> {
  const id = newId();
  return new Promise((resolve) => {
    const close = () => {
      openDialogs.set(openDialogs.get().filter((each) => each.id !== id));
      resolve();
    };
    openDialogs.set([...openDialogs.get(), { id, dialog, close }]);
  });
}

/** The open dialogs, the latest above the others. Another page closes them. */
export function Dialogs() {
  const [location] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a dialog belongs to the page that shows it
  useEffect(() => {
    for (const { close } of openDialogs.get()) close();
  }, [location]);
  return useStore(openDialogs).map(({ id, dialog, close }) => (
    <Close key={id} value={close}>
      {dialog}
    </Close>
  ));
}

/** Opens the native element of a dialog while it is mounted. */
export function useModal() {
  const element = useRef<HTMLDialogElement>(null);
  // Before the browser removes the element: only a dialog on the page returns the focus.
  useLayoutEffect(() => {
    const dialog = element.current!;
    if (!dialog.open) dialog.showModal();
    // The browser would prefer a body that scrolls.
    const [first, body] = [dialog.querySelector<HTMLElement>('[data-first]'), document.activeElement];
    if (first !== null) first.focus();
    else if (body?.className === 'dialog-body')
      body.querySelector<HTMLElement>('input, select, textarea, button')?.focus();
    return () => {
      dialog.close();
      // The element that had the focus before may go with the dialog, such as the bar of rows that are deleted.
      restoreFocus();
    };
  }, []);
  return element;
}

/** Moves to the first input with a problem, or shows the first problem. */
function showProblem(dialog: HTMLElement): void {
  const [input, problem] = ['[aria-invalid=true]', '.problem, .notice.danger'].map((each) =>
    dialog.querySelector<HTMLElement>(each),
  );
  input?.focus();
  problem?.scrollIntoView({ block: 'nearest' });
}

interface DialogProps {
  readonly title: string;
  /** Called on Escape and Cancel in place of `useClose`. */
  readonly onClose?: () => void;
  /** Makes the dialog a form with this button. */
  readonly submit?: {
    readonly label: string;
    /**
     * The button is disabled until the result is there. The dialog stays open after false, after an error, which it
     * shows, and below a dialog that is the result.
     */
    readonly onSubmit: () => unknown;
    readonly isBusy?: boolean;
    /** Whether Enter submits at once: the inputs only correct what the dialog proposes. */
    readonly isFirst?: boolean;
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
  const element = useModal();
  const close = useClose();
  const id = useId();
  const [isSubmitting, setSubmitting] = useState(false);
  const [error, setError] = useState<unknown>();
  const [submits, setSubmits] = useState(0);
  // The person sees why the dialog stays open.
  useEffect(() => {
    if (submits > 0) showProblem(element.current!);
  }, [submits, element]);
  const cancel = () => {
    if (isSubmitting && isLost.get()) giveUp();
    (onClose ?? close)();
  };
  const isBusy = isSubmitting || submit?.isBusy === true;
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    setSubmitting(true);
    setError(undefined);
    try {
      const result = await submit?.onSubmit();
      // The person may have cancelled meanwhile.
      if (element.current === null) return;
      if (isValidElement(result)) void showDialog(result);
      else if (result !== false) close();
    } catch (failure) {
      setError(failure);
    }
    setSubmitting(false);
    setSubmits(submits + 1);
  };
  return (
    <dialog
      ref={element}
      className={`dialog ${size}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!isKept) cancel();
      }}
      // A second Escape closes it without the event above.
      onClose={({ currentTarget }) => isKept && currentTarget.isConnected && currentTarget.showModal()}
    >
      {/* Nothing outside of a modal dialog can be used. */}
      <PageBars />
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
          <Button onClick={cancel}>{submit === undefined ? t.app.close : t.app.cancel}</Button>
          {submit !== undefined && (
            <Button
              type="submit"
              kind={submit.isDanger ? 'danger' : 'primary'}
              aria-disabled={isBusy}
              data-first={submit.isFirst}
            >
              {submit.label}
            </Button>
          )}
        </footer>
      </form>
    </dialog>
  );
}
