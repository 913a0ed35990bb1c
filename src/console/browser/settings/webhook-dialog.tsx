/** The form of a webhook: its address, the changes that it sends, and the secret of its signature. */
import { useMemo, useState } from 'react';
import { CHANGE_KINDS, type WebhookDraft } from '../../../collection/draft.ts';
import { collectionNamed, collections, titleOfCollection } from '../api/catalogue.ts';
import { listOf } from '../api/query/list.ts';
import { Button } from '../components/button.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Check, CheckList, TextField, useForm } from '../components/inputs.tsx';
import { Problem } from '../components/small.tsx';
import { type Line, linesOf, printRule, readLines, readRule } from '../find/condition-lines.ts';
import { ConditionList } from '../find/condition-list.tsx';
import { t } from '../i18n/text.ts';
import { useDeclaration } from './api.ts';
import { ModelForm, type ModelFormProps } from './model-form.tsx';

const SECRET_BYTES = 32;

function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}

/** The variable that holds the secret, if a person copies the declaration: its text here has no secrets. */
const variableOf = (name: string): string => `${name.toUpperCase().replaceAll('-', '_')}_WEBHOOK_SECRET`;

interface WebhookDialogProps extends Pick<ModelFormProps, 'taken'> {
  /** Absent for a new one. */
  readonly webhook?: Omit<WebhookDraft, 'secret'> | undefined;
}

export function WebhookDialog({ webhook, taken }: WebhookDialogProps) {
  const hasVariable = useDeclaration().data?.editable === false;
  const { values, set, input } = useForm(() => ({
    url: webhook?.url ?? 'https://',
    collections: webhook?.collections,
    kinds: webhook?.kinds as readonly string[] | undefined,
    secret: webhook === undefined ? newSecret() : undefined,
    where: webhook?.where ?? '',
  }));
  const { url, collections: chosen, kinds, secret, where } = values;
  /** Conditions name fields, so the form has them for one collection only. */
  const only = chosen?.length === 1 ? collectionNamed(chosen[0]!) : undefined;
  const storedLines = useMemo(() => (only === undefined ? [] : linesOf(only, readRule(only, where))), [only, where]);
  const [typed, setTyped] = useState<readonly Line[]>();
  const [tried, setTried] = useState<readonly Line[]>();
  const lines = typed ?? storedLines;
  /** The conditions as a text; undefined if one of them shows its own problem. */
  const readWhere = () => {
    if (only === undefined || typed === undefined) return where;
    const { filters } = readLines(only, typed);
    setTried(typed);
    return filters && printRule(only, filters);
  };
  const choose = (next: readonly string[] | undefined) => {
    const text = readWhere();
    if (text === undefined) return;
    set('where', text);
    setTyped(undefined);
    set('collections', next);
  };
  const patchOf = (name: string) => {
    const text = readWhere();
    if (text === undefined) return undefined;
    const patch = { url: url.trim(), collections: chosen ?? null, kinds: kinds ?? null };
    const whereChange = text !== (webhook?.where ?? '') && { where: text || null };
    const secretChange = secret !== undefined && { secret: hasVariable ? `{env.${variableOf(name)}}` : secret };
    return { webhooks: { [name]: { ...patch, ...whereChange, ...secretChange } } };
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
      {(problemAt, name) => {
        const rowProblem = problemAt('where');
        const secretText = hasVariable ? `${variableOf(name)}=${secret}` : (secret ?? '');
        return (
          <>
            <TextField
              {...input('url')}
              label={t.settings.address}
              help={t.settings.addressHelp}
              problem={problemAt('url')}
              type="url"
            />
            <CheckList
              label={t.app.collections}
              options={collections.map((each) => [each.name, titleOfCollection(each)] as const)}
              value={chosen}
              problem={problemAt('collections')}
              onChange={choose}
            />
            <CheckList
              {...input('kinds')}
              label={t.app.changes}
              options={CHANGE_KINDS.map((kind) => [kind, t.settings.kinds[kind]] as const)}
              problem={problemAt('kinds')}
            />
            {only !== undefined ? (
              <fieldset className="check-list stack">
                <legend>{t.settings.limitNames.where}</legend>
                <p className="help">{lines.length === 0 ? t.settings.allRows : t.find.allMatch}</p>
                <ConditionList isRule query={listOf(only)} lines={lines} tried={tried} onChange={setTyped} />
              </fieldset>
            ) : (
              where !== '' && (
                <fieldset className="check-list">
                  <legend>{t.settings.limitNames.where}</legend>
                  <div className="line wrap">
                    <code>{where}</code>
                    <Button onClick={() => set('where', '')}>{t.settings.remove.users}</Button>
                  </div>
                </fieldset>
              )
            )}
            {rowProblem !== undefined && <Problem>{rowProblem}</Problem>}
            {webhook !== undefined && (
              <Check checked={secret !== undefined} onChange={(isOn) => set('secret', isOn ? newSecret() : undefined)}>
                {t.settings.replaceSecret}
              </Check>
            )}
            {secret !== undefined && (
              <div className="line wrap">
                <TextField
                  label={t.settings.secret}
                  help={hasVariable ? t.settings.secretVariable : t.settings.secretOnce}
                  readOnly
                  value={secretText}
                  onChange={() => undefined}
                />
                <CopyButton text={secretText} label={t.settings.copy} />
              </div>
            )}
          </>
        );
      }}
    </ModelForm>
  );
}
