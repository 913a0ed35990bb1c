/** The migration plan and the new text of a change, which the service applies if it is safe and permitted. */
import { useQuery } from '@tanstack/react-query';
import { problemOf } from '../api/errors.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { ErrorMessage, Skeleton } from '../components/small.tsx';
import { notify } from '../components/toasts.tsx';
import { t } from '../i18n/text.ts';
import { changeDeclaration, type Patch, type Plan, readDeclaration, untilServed, useDeclaration } from './api.ts';

export function PreviewDialog({ patch }: { readonly patch: Patch }) {
  const { data: declaration } = useDeclaration();
  const { data, error } = useQuery({
    queryKey: ['settings', 'plan', patch],
    queryFn: async () => {
      const { version } = await readDeclaration();
      return { version, plan: await changeDeclaration(patch, version, true) };
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const onSubmit = async () => {
    await changeDeclaration(patch, data!.version, false);
    notify(t.settings.applying);
    await untilServed();
    location.reload();
    return false;
  };
  const isSafe = data !== undefined && data.plan.problems.length === 0;
  return (
    <Dialog
      title={t.settings.previewTitle}
      size="large"
      actions={data !== undefined && <CopyButton text={data.plan.text} label={t.settings.copyText} />}
      {...(isSafe && declaration?.editable === true && { submit: { label: t.find.apply, onSubmit } })}
    >
      {error !== null && <Failure error={error} />}
      {data === undefined && error === null && <Skeleton lines={3} />}
      {data !== undefined && <PlanWords plan={data.plan} />}
    </Dialog>
  );
}

/** An error with the mistakes of the declaration. */
function Failure({ error }: { readonly error: unknown }) {
  const details = problemOf(error)?.details;
  return (
    <>
      <ErrorMessage error={error} />
      {details != null && <pre>{details}</pre>}
    </>
  );
}

function PlanWords({ plan: { file, steps, problems, text } }: { readonly plan: Plan }) {
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
      <h3>{t.settings.text(file)}</h3>
      <pre className="settings-text">{text}</pre>
    </>
  );
}
