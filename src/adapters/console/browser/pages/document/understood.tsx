import type { Schemas } from '../../../../../client/portico.ts';
import { inWords, parsed, understood } from '../../form/entry.ts';
import { isNumeric, type ValueField } from '../../form/form.ts';
import { entered } from '../../form/form-entries.ts';
import { type Draft, edit } from '../../parts/draft.ts';

interface UnderstoodProps {
  readonly field: ValueField;
  readonly form: { readonly document: Schemas['DocumentDetail']; readonly draft: Draft };
}

/** What an entry was understood as, where that is not what it says in every notation, with what else it may mean; or what is wanted. */
export const UnderstoodAs = ({ field, form }: UnderstoodProps) => {
  const entry = form.draft.values[field.pointer]?.text;
  if (entry === undefined) return null;
  if (parsed(field, entry) === undefined)
    return (
      <p class="understood" role="status">
        {isNumeric(field) ? 'Enter a number' : 'Choose one'}
      </p>
    );
  const meant = understood(field, entry);
  if (meant === null || (meant.text === entry && meant.others.length === 0)) return null;
  const take = (text: string) => edit(form.document, (entries) => entered(entries, field, text, null));
  return (
    <p class="understood" role="status">
      Understood as <strong>{inWords(field, meant.text)}</strong>
      {meant.others.map((other) => (
        <>
          {', not '}
          <button type="button" class="text" onClick={() => take(other)}>
            {inWords(field, other)}
          </button>
        </>
      ))}
    </p>
  );
};
