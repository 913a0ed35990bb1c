/** The migration plan and the new text of a change, which the service applies if it is safe and permitted. */
import { CopyButton } from '../components/copy-button.tsx';
import { Dialog, showDialog } from '../components/dialog.tsx';
import { notify, notifyError } from '../components/toasts.tsx';
import { t } from '../i18n/text.ts';
import { changeDeclaration, type Patch, type PlannedChange, planChange, untilServed, useDeclaration } from './api.ts';
import { changedLines } from './changed-lines.ts';

/** The service writes it in place of each secret. */
const HIDDEN_SECRET = 'whsec_…';

/** Plans a change and shows the plan, or why it is not possible. */
export const previewChange = (patch: Patch): Promise<unknown> =>
  planChange(patch).then((change) => showDialog(<PreviewDialog {...change} />), notifyError);

export function PreviewDialog({ patch, version, before, plan }: PlannedChange) {
  const { data: declaration } = useDeclaration();
  const onSubmit = async () => {
    await changeDeclaration(patch, version, false);
    notify(t.settings.applying);
    await untilServed();
    location.reload();
    return false;
  };
  const isSafe = plan.problems.length === 0;
  return (
    <Dialog
      title={t.settings.previewTitle}
      size="large"
      actions={<CopyButton text={plan.text} label={t.settings.copyText} />}
      {...(isSafe && declaration?.editable === true && { submit: { label: t.find.apply, onSubmit } })}
    >
      <PlanWords before={before} plan={plan} />
    </Dialog>
  );
}

function PlanWords({ before, plan }: Pick<PlannedChange, 'before' | 'plan'>) {
  const { file, steps, problems, text } = plan;
  const { removed, added } = changedLines(before, text);
  return (
    <>
      <h3>{t.settings.plan}</h3>
      {steps.length === 0 && <p>{t.settings.noSteps}</p>}
      <ul className="bullets">
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ul>
      {problems.length > 0 && <h3 className="problem">{t.settings.problems}</h3>}
      <ul className="bullets">
        {problems.map(({ words, allow }) => (
          <li key={words}>
            {words}
            {allow !== undefined && <p className="help">{t.settings.allow(allow)}</p>}
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
