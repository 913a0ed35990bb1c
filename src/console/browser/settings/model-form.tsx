/** The frame of a form that changes the declaration: a name, the inputs, and the preview of the change. */
import { type ReactNode, useState } from 'react';
import { Dialog, showDialog } from '../components/dialog.tsx';
import { TextField } from '../components/inputs.tsx';
import { t } from '../i18n/text.ts';
import type { Patch } from './api.ts';
import { PreviewDialog } from './preview-dialog.tsx';

export interface ModelFormProps {
  readonly title: string;
  /** The name of an existing part. */
  readonly name?: string;
  readonly mayRename?: boolean;
  /** The names in use. A patch of one of them would change it. */
  readonly taken: readonly string[];
  /** The change that the form means. */
  readonly patchOf: (name: string) => Patch;
  readonly children: ReactNode;
}

export function ModelForm({ title, name: stored, mayRename, taken, patchOf, children }: ModelFormProps) {
  const [name, setName] = useState(stored ?? '');
  const [isTried, setTried] = useState(false);
  const isTaken = name.trim() !== stored && taken.includes(name.trim());
  const problem = name.trim() === '' ? t.settings.nameMissing : isTaken ? t.settings.nameTaken(name.trim()) : undefined;
  const onSubmit = () => {
    setTried(true);
    if (problem === undefined) void showDialog(<PreviewDialog patch={patchOf(name.trim())} />);
    return false;
  };
  return (
    <Dialog title={title} submit={{ label: t.settings.preview, onSubmit }}>
      {(stored === undefined || mayRename) && (
        <TextField
          label={t.app.userName}
          required
          help={t.settings.nameHelp}
          problem={isTried ? problem : undefined}
          value={name}
          onChange={setName}
        />
      )}
      {children}
    </Dialog>
  );
}
