/** The frame of a form that changes the declaration: a name, the inputs, and the preview of the change. */
import { type ReactNode, useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/inputs.tsx';
import { t } from '../i18n/text.ts';
import { mistakesIn, type Patch, planChange } from './api.ts';
import { MistakeList } from './declared-text.tsx';
import { PreviewDialog } from './preview-dialog.tsx';

export interface ModelFormProps {
  readonly title: string;
  /** The name of an existing part. */
  readonly name?: string;
  readonly mayRename?: boolean;
  /** The names in use. A patch of one of them would change it. */
  readonly taken: readonly string[];
  /** The place of the named part in the declaration: `collections.products.fields`. */
  readonly path: string;
  /** The change that the form means; undefined if an input shows its own problem. */
  readonly patchOf: (name: string) => Patch | undefined;
  readonly size?: 'small' | 'large';
  /** The inputs. `problemAt` returns the mistake of a member, such as `products.read.where`. */
  readonly children: (problemAt: (member: string) => string | undefined, name: string) => ReactNode;
}

export function ModelForm(props: ModelFormProps) {
  const { title, name: stored, mayRename, taken, path, patchOf, size = 'small', children } = props;
  const [name, setName] = useState(stored ?? '');
  const [isTried, setTried] = useState(false);
  const [mistakes, setMistakes] = useState<Readonly<Record<string, string>>>({});
  const isTaken = name.trim() !== stored && taken.includes(name.trim());
  const problem = name.trim() === '' ? t.settings.nameMissing : isTaken ? t.settings.nameTaken(name.trim()) : undefined;
  const onSubmit = async () => {
    setTried(true);
    setMistakes({});
    const patch = problem === undefined ? patchOf(name.trim()) : undefined;
    if (patch === undefined) return false;
    try {
      return <PreviewDialog {...(await planChange(patch))} />;
    } catch (failure) {
      setMistakes(mistakesIn(failure));
      return false;
    }
  };
  const shown = new Set<string>();
  const problemAt = (member: string) => {
    const place = [path, name.trim(), member].filter((part) => part !== '').join('.');
    shown.add(place);
    return mistakes[place];
  };
  const hasName = stored === undefined || mayRename === true;
  const nameProblem = (isTried ? problem : undefined) ?? (hasName ? problemAt('') : undefined);
  const inputs = children(problemAt, name.trim());
  return (
    <Dialog title={title} size={size} submit={{ label: t.settings.preview, onSubmit }}>
      {hasName && (
        <TextField
          label={t.app.userName}
          required
          help={t.settings.nameHelp}
          problem={nameProblem}
          value={name}
          onChange={setName}
        />
      )}
      {inputs}
      <MistakeList mistakes={Object.fromEntries(Object.entries(mistakes).filter(([place]) => !shown.has(place)))} />
    </Dialog>
  );
}
