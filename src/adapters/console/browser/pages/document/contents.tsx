import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { useEffect, useMemo } from 'preact/hooks';
import { textOf } from '../../form/entry.ts';
import { listsOf, valuesOf, valueText } from '../../form/form.ts';
import { entered } from '../../form/form-entries.ts';
import { setting } from '../../parts/basics.tsx';
import { type Draft, edit, type Place } from '../../parts/draft.ts';
import { notify } from '../../parts/notice.tsx';
import { shownPlaces } from './einvoice.tsx';
import { filesOf } from './files.ts';
import { History } from './history.tsx';
import { chosen, Fields, type FormProps, fieldAt, onFieldKey } from './values.tsx';
import { Split, usualSplit } from './viewer/split.tsx';
import { split } from './viewer/view.ts';
import { Source } from './viewer/viewer.tsx';

/** Where the values stand, those among them that the user has found and not saved. */
const placesOf = (
  document: FormProps['document'],
  { values }: Draft,
  drawn: Parameters<typeof shownPlaces>[1],
): Readonly<Record<string, Place>> => ({
  ...document.evidence,
  ...shownPlaces(document, drawn),
  ...Object.fromEntries(Object.entries(values).flatMap(([pointer, { place }]) => (place ? [[pointer, place]] : []))),
});

/** The pages of a document beside its values, and its history below. */
export const Contents = ({ form }: { readonly form: FormProps }) => {
  const { document, fields, draft, edits } = form;
  const hovered = useSignal<string | null>(null);
  const { id } = document;
  useEffect(() => setting(chosen, null), []);
  const { data } = useQuery(filesOf(id));
  const values = useMemo(() => valuesOf(fields), [fields]);
  const labels = useMemo(() => new Map(values.map(({ pointer, label }) => [pointer, label])), [values]);
  const fill = (pointer: string, words: string, place: Place) => {
    const field = values.find((each) => each.pointer === pointer);
    if (!field) return;
    const text = textOf(field, words);
    if (text === valueText(field.value)) notify(`${field.label} has that already.`);
    edit(document, (entries) => entered(entries, field, text, place));
  };
  const choose = (pointer: string | null) => {
    chosen.value = pointer ?? chosen.value;
  };
  const hover = (event: Event | null) => {
    hovered.value = event && fieldAt(event);
  };
  const files = data?.files.filter(({ download_url: url }) => url !== null) ?? [];
  const drawn = files.filter(({ pages }) => pages.length > 0);
  const source = {
    document,
    labels,
    choose,
    fill,
    places: placesOf(document, draft, drawn),
    chosen: hovered.value ?? chosen.value,
  };
  const on = {
    onMouseOver: hover,
    onMouseLeave: () => hover(null),
    onKeyDown: (event: KeyboardEvent) => onFieldKey(event, form),
    onFocusIn: (event: Event) => choose(fieldAt(event)),
    onClick: (event: Event) => choose(fieldAt(event)),
  };
  const hasPlaces = data === undefined || files.length > 0 || Object.keys(document.evidence).length > 0;
  const usual = usualSplit(listsOf(fields).length > 0);
  const part = split.value ?? usual;
  return (
    <>
      <div class="proof" style={{ '--pages': `${part}fr`, '--values': `${1 - part}fr` }}>
        {hasPlaces && <Source {...source} files={files} />}
        {hasPlaces && <Split usual={usual} />}
        <section class="panel" aria-label="Values" {...on}>
          <h2>Values</h2>
          {edits && drawn.length > 0 && (
            <p class="soft tip">To fill a value from the page, choose it, then click on the word or draw a box.</p>
          )}
          <Fields fields={fields} form={form} />
        </section>
      </div>
      {document.revision > 0 && <History document={document} labels={labels} />}
    </>
  );
};
