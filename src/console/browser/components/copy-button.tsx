/** A button that copies a text. */
import { t } from '../i18n/text.ts';
import { Button } from './button.tsx';
import { notify } from './toasts.tsx';

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const copy = async () => {
    // Without HTTPS, a page cannot write to the clipboard.
    const isCopied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    notify(isCopied ? t.app.copied : text, { topic: 'copy' });
  };
  return (
    <Button icon="copy" className="small" onClick={() => void copy()}>
      {label}
    </Button>
  );
}
