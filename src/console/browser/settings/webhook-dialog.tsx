/** The form of a webhook: its address, the changes that it sends, and the secret of its signature. */
import { useState } from 'react';
import { CHANGE_KINDS, type WebhookDraft } from '../../../collection/draft.ts';
import { collectionNamed, collections, titleOfCollection } from '../api/catalogue.ts';
import { parseQuery } from '../api/query/list.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { Check, CheckList, TextField } from '../components/inputs.tsx';
import { Problem } from '../components/small.tsx';
import { linesOf, printRule, readLines, readRule } from '../find/condition-lines.ts';
import { ConditionList } from '../find/condition-list.tsx';
import { t } from '../i18n/text.ts';
import { ModelForm, type ModelFormProps } from './model-form.tsx';

const SECRET_BYTES = 32;

function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}

interface WebhookDialogProps extends Pick<ModelFormProps, 'taken'> {
  /** Absent for a new one. */
  readonly webhook?: Omit<WebhookDraft, 'secret'> | undefined;
}

export function WebhookDialog({ webhook, taken }: WebhookDialogProps) {
  const [url, setUrl] = useState(webhook?.url ?? 'https://');
  const [chosen, setChosen] = useState(webhook?.collections);
  const [kinds, setKinds] = useState<readonly string[] | undefined>(webhook?.kinds);
  const [secret, setSecret] = useState(() => (webhook === undefined ? newSecret() : undefined));
  /** Conditions name fields, so the form has them for one collection only. */
  const only = chosen?.length === 1 ? collectionNamed(chosen[0]!) : undefined;
  const [lines, setLines] = useState(() =>
    only === undefined || webhook?.where === undefined ? [] : linesOf(only, readRule(webhook.where)),
  );
  const patchOf = (name: string) => {
    const read = only && readLines(only, lines);
    if (read !== undefined && 'lines' in read) {
      setLines(read.lines);
      return undefined;
    }
    const where = read === undefined ? {} : { where: printRule(only!, read.filters) || null };
    const patch = { url: url.trim(), collections: chosen ?? null, kinds: kinds ?? null, ...where };
    return { webhooks: { [name]: { ...patch, ...(secret !== undefined && { secret }) } } };
  };
  return (
    <ModelForm
      title={webhook === undefined ? t.settings.addWebhook : t.settings.change(webhook.name)}
      {...(webhook !== undefined && { name: webhook.name })}
      taken={taken}
      path="webhooks"
      patchOf={patchOf}
      size="large"
    >
      {(problemAt) => {
        const rowProblem = problemAt('where');
        return (
          <>
            <TextField
              label={t.settings.address}
              help={t.settings.addressHelp}
              problem={problemAt('url')}
              type="url"
              value={url}
              onChange={setUrl}
            />
            <CheckList
              label={t.app.collections}
              options={collections.map((each) => [each.name, titleOfCollection(each)] as const)}
              chosen={chosen}
              problem={problemAt('collections')}
              onChange={(next) => {
                setChosen(next);
                setLines([]);
              }}
            />
            <CheckList
              label={t.app.changes}
              options={CHANGE_KINDS.map((kind) => [kind, t.settings.kinds[kind]] as const)}
              chosen={kinds}
              problem={problemAt('kinds')}
              onChange={setKinds}
            />
            {only !== undefined && (
              <fieldset className="check-list stack">
                <legend>{t.settings.limitNames.where}</legend>
                <p className="help">{lines.length === 0 ? t.settings.allRows : t.find.allMatch}</p>
                <ConditionList isRule query={parseQuery(only, '')} lines={lines} onChange={setLines} />
              </fieldset>
            )}
            {rowProblem !== undefined && <Problem>{rowProblem}</Problem>}
            {webhook !== undefined && (
              <Check checked={secret !== undefined} onChange={(isOn) => setSecret(isOn ? newSecret() : undefined)}>
                {t.settings.replaceSecret}
              </Check>
            )}
            {secret !== undefined && (
              <div className="line wrap">
                <TextField
                  label={t.settings.secret}
                  help={t.settings.secretOnce}
                  readOnly
                  value={secret}
                  onChange={setSecret}
                />
                <CopyButton text={secret} label={t.settings.copy} />
              </div>
            )}
          </>
        );
      }}
    </ModelForm>
  );
}
