/**
 * The migration plan and the new text of a change. The service applies it if it is safe, or if the person permits each
 * loss of data.
 */
import { type ReactNode, useState } from 'react';
import { CopyButton } from '../components/copy-button.tsx';
import { Dialog, showDialog } from '../components/dialog.tsx';
import { Check } from '../components/inputs.tsx';
import { notify, notifyError } from '../components/toasts.tsx';
import { t, translated } from '../i18n/text.ts';
import {
  changeDeclaration,
  mistakesIn,
  type Patch,
  type PlannedChange,
  planChange,
  untilServed,
  useDeclaration,
} from './api.ts';
import { changedLines } from './changed-lines.ts';
import { MistakeList } from './declared-text.tsx';

/** The service writes it in place of each secret. */
const HIDDEN_SECRET = 'whsec_…';

/** Plans a change and shows the plan, or the parts of the declaration that prevent it. */
export const previewChange = (patch: Patch): Promise<unknown> =>
  planChange(patch)
    .then(
      (change) => <PreviewDialog {...change} />,
      (failure) => (
        <Dialog title={t.settings.notPossible}>
          <MistakeList mistakes={mistakesIn(failure)} />
        </Dialog>
      ),
    )
    .then(showDialog, notifyError);

export function PreviewDialog({ patch, version, before, plan }: PlannedChange) {
  const [allowed, setAllowed] = useState<readonly string[]>([]);
  const { data: declaration } = useDeclaration();
  const onSubmit = async () => {
    await changeDeclaration(patch, version, allowed);
    notify(t.settings.applying);
    await untilServed();
    location.reload();
    return false;
  };
  const isEditable = declaration?.editable === true;
  const isPermitted = plan.problems.every(({ allow }) => allow !== undefined && allowed.includes(allow));
  return (
    <Dialog
      title={t.settings.previewTitle}
      size="large"
      actions={<CopyButton text={plan.text} label={t.settings.copyText} />}
      {...(isPermitted && isEditable && { submit: { label: t.find.apply, onSubmit, isDanger: allowed.length > 0 } })}
    >
      <PlanWords before={before} plan={plan}>
        {(what) =>
          isEditable ? (
            <Check
              checked={allowed.includes(what)}
              onChange={(isOn) => setAllowed(isOn ? [...allowed, what] : allowed.filter((each) => each !== what))}
            >
              {t.settings.allow}
            </Check>
          ) : (
            <p className="help">{t.settings.allowByCommand(what)}</p>
          )
        }
      </PlanWords>
    </Dialog>
  );
}

interface PlanWordsProps extends Pick<PlannedChange, 'before' | 'plan'> {
  /** The way to permit a loss of data. */
  readonly children: (allow: string) => ReactNode;
}

function PlanWords({ before, plan, children }: PlanWordsProps) {
  const { file, sentences, problems, text } = plan;
  const { removed, added } = changedLines(before, text);
  return (
    <>
      <h3>{t.settings.plan}</h3>
      {sentences.length === 0 && <p>{t.settings.noSteps}</p>}
      <ul className="bullets">
        {sentences.map((step) => (
          <li key={step.words}>{translated(step)}</li>
        ))}
      </ul>
      {problems.length > 0 && <h3 className="problem">{t.settings.problems}</h3>}
      <ul className="bullets">
        {problems.map(({ allow, ...problem }) => (
          <li key={problem.words}>
            {translated(problem)}
            {allow !== undefined && children(allow)}
          </li>
        ))}
      </ul>
      <h3>{t.settings.changedLines(file)}</h3>
      <pre className="settings-text">
        {removed.length > 0 && <del>{removed.map((line) => `− ${line}\n`)}</del>}
        {added.length > 0 && <ins>{added.map((line) => `+ ${line}\n`)}</ins>}
      </pre>
      {text.includes(HIDDEN_SECRET) && <p className="notice warn">{t.settings.hiddenSecrets(HIDDEN_SECRET)}</p>}
      <details className="help">
        <summary>{t.settings.text(file)}</summary>
        <pre className="settings-text">{text}</pre>
      </details>
    </>
  );
}
