/** Lists of texts as tags. */
import { type KeyboardEvent, useState } from 'react';
import { joinTags, splitTags } from '../../../import/lists.ts';
import type { Value } from '../api/catalogue.ts';
import { quoted } from '../api/query/text.ts';
import { IconButton } from '../components/button.tsx';
import { t } from '../i18n/text.ts';
import { textFilter } from './filters.tsx';
import type { CellProps, FieldKind, FieldPlace, InputProps } from './kind.ts';
import { inputAttributes, text as plainText } from './text.tsx';

const print = (_place: FieldPlace, value: Value): string => joinTags(value as unknown as readonly unknown[]);

function ArrayCell({ field, row }: CellProps) {
  const value = row[field.name];
  if (!Array.isArray(value)) return null;
  return (
    <span className="tags">
      {value.map((tag) => (
        <span key={String(tag)} className="tag">
          {String(tag)}
        </span>
      ))}
    </span>
  );
}

function ArrayInput(props: InputProps) {
  const { text, onChange, isDisabled } = props;
  const [typed, setTyped] = useState('');
  const tags = splitTags(text);
  const add = (added: string) => {
    onChange(joinTags([...new Set([...tags, ...splitTags(added)])]));
    setTyped('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && typed.trim() !== '') {
      event.preventDefault();
      add(typed);
    }
    if (event.key === 'Backspace' && typed === '' && tags.length > 0) onChange(joinTags(tags.slice(0, -1)));
  };
  return (
    <div className="tags tags-input">
      {tags.map((tag) => (
        <span key={tag} className="tag">
          {tag}
          <IconButton
            icon="x"
            className="small"
            label={t.app.removeItem(tag)}
            disabled={isDisabled}
            onClick={() => onChange(joinTags(tags.filter((each) => each !== tag)))}
          />
        </span>
      ))}
      <input
        {...inputAttributes(props)}
        type="text"
        value={typed}
        placeholder={t.fields.addTag}
        onChange={({ target }) => (target.value.endsWith(',') ? add(target.value) : setTyped(target.value))}
        onKeyDown={onKeyDown}
        onBlur={() => typed.trim() !== '' && add(typed)}
      />
    </div>
  );
}

export const array: FieldKind = {
  ...plainText,
  name: 'array',
  format: print,
  print,
  Cell: ArrayCell,
  Input: ArrayInput,
  Filter: textFilter(
    (condition) => /^cs\.\{"(.*)"\}$/.exec(condition)?.[1] ?? '',
    (tag) => `cs.{${quoted(tag)}}`,
  ),
};
