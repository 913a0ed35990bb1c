/** Chooses a row of another collection by title or key, or creates one with the typed title. */
import { Autocomplete, TextField } from '@mui/material';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { Field } from '../../../../collection/declaration.ts';
import { createReferencedRow, findRows, needsOnlyTitle, type RowOption } from '../../shared/api/find-rows.ts';
import { mayCreateIn } from '../../shared/api/rights.ts';
import { showMessage } from '../../shared/undo/undo.tsx';
import { cachedTitle, cacheTitle, referenceOf } from '../../shared/values/references.ts';
import { describeError } from '../../shared/values/words.ts';

/** Delay before a search, so that a word is not searched letter by letter. */
const PAUSE_MS = 150;

interface ReferenceInputProps {
  readonly field: Field;
  readonly label: string;
  /** The key of the chosen row, or the typed text. */
  readonly text: string;
  /** The title of the chosen row, if known. */
  readonly title?: string | undefined;
  readonly onChange: (text: string) => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  readonly isCell?: boolean;
  readonly autoFocus?: boolean;
  readonly disabled?: boolean;
  readonly required?: boolean;
  readonly problem?: string | undefined;
  readonly help?: string | undefined;
}

type Option = RowOption & { readonly isNew?: boolean };

export function ReferenceInput(props: ReferenceInputProps) {
  const { field, label, text, title, onChange, onKeyDown, isCell = false, problem, help } = props;
  const other = referenceOf(field)!;
  const [typed, setTyped] = useState(title ?? cachedTitle(field, text) ?? text);
  const [isOpen, setOpen] = useState(false);
  /** The search text. It is empty until the person types, so that all rows are offered first. */
  const [searchText, setSearchText] = useState('');
  const [found, setFound] = useState<readonly RowOption[]>([]);
  const [searchError, setSearchError] = useState<string>();

  useEffect(() => {
    if (!isOpen) return;
    const ending = new AbortController();
    const timer = setTimeout(async () => {
      try {
        setFound(await findRows(other, searchText, ending.signal));
        setSearchError(undefined);
      } catch (error) {
        if (!ending.signal.aborted) setSearchError(describeError(error));
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [isOpen, searchText, other]);

  const choose = ({ key, title: chosen }: RowOption) => {
    cacheTitle(field, key, chosen);
    setTyped(chosen);
    setSearchText('');
    setOpen(false);
    onChange(key);
  };
  const isCreating = useRef(false);
  const pick = async (option: Option) => {
    if (!option.isNew) return choose(option);
    if (isCreating.current) return;
    isCreating.current = true;
    try {
      const made = await createReferencedRow(other, option.key);
      choose(made);
      showMessage(`${made.title} was created.`, 'success');
    } catch (error) {
      setSearchError(describeError(error));
    }
    isCreating.current = false;
  };
  const named = (name: string) => found.find((each) => each.title.toLowerCase() === name.trim().toLowerCase());
  const mayMake =
    searchText.trim() !== '' && named(searchText) === undefined && mayCreateIn(other) && needsOnlyTitle(other);
  const options: Option[] = [
    ...found,
    ...(mayMake ? [{ key: searchText.trim(), title: `Create “${searchText.trim()}”`, isNew: true }] : []),
  ];
  return (
    <Autocomplete<Option, false, true, true>
      freeSolo
      disableClearable
      fullWidth
      open={isOpen && options.length > 0}
      onOpen={() => setOpen(true)}
      onClose={() => setOpen(false)}
      disabled={props.disabled ?? false}
      options={options}
      filterOptions={(all) => all}
      getOptionLabel={(option) => (typeof option === 'string' ? option : option.title)}
      getOptionKey={(option) => (typeof option === 'string' ? option : `${option.isNew} ${option.key}`)}
      isOptionEqualToValue={(option, value) => typeof value !== 'string' && option.key === value.key}
      value={typed}
      inputValue={typed}
      onInputChange={(_event, words, reason) => {
        if (reason !== 'input') return;
        setTyped(words);
        setSearchText(words);
        setOpen(true);
        onChange(words);
      }}
      onChange={(_event, option) => void (typeof option === 'string' ? undefined : pick(option))}
      onBlur={() => {
        const meant = searchText === '' ? undefined : named(searchText);
        if (meant !== undefined) choose(meant);
      }}
      slotProps={{ popper: { sx: { minWidth: 220 } } }}
      renderInput={(params) => (
        <TextField
          {...params}
          variant={isCell ? 'standard' : 'outlined'}
          margin={isCell ? 'none' : 'dense'}
          size="small"
          {...(isCell ? { hiddenLabel: true } : { label })}
          required={props.required ?? false}
          autoFocus={props.autoFocus ?? false}
          error={problem !== undefined || searchError !== undefined}
          {...(isCell ? { title: problem ?? searchError } : { helperText: problem ?? searchError ?? help })}
          onKeyDown={(event) => {
            // While options are shown, these keys belong to the list of options.
            const isOffered = isOpen && options.length > 0;
            if (!isOffered) onKeyDown?.(event);
          }}
          slotProps={{
            ...params.slotProps,
            htmlInput: { ...params.slotProps?.htmlInput, ...(isCell ? { 'aria-label': label } : {}) },
          }}
        />
      )}
    />
  );
}
