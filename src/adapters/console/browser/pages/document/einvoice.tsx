import type { Schemas } from '../../../../../client/portico.ts';
import { api, blobOf, isNotFound } from '../../api.ts';
import { placeText } from '../../form/form.ts';
import { countText } from '../../parts/basics.tsx';
import { download } from '../../parts/download.ts';
import type { Place } from '../../parts/draft.ts';
import { Action } from '../../parts/notice.tsx';
import { cache } from '../../queries.ts';
import { filesOf } from './files.ts';
import { focusValue } from './values.tsx';

type Detail = Schemas['DocumentDetail'];
type EInvoice = Schemas['EInvoice'];
type Difference = EInvoice['differences'][number];

const syntaxes = { ubl: 'UBL', cii: 'UN/CEFACT CII' };

const profiles: Readonly<Record<EInvoice['profile'], string>> = {
  minimum: 'Factur-X MINIMUM',
  basic_wl: 'Factur-X BASIC WL',
  basic: 'Factur-X BASIC',
  en16931: 'EN 16931',
  extended: 'Factur-X EXTENDED',
  xrechnung: 'XRechnung',
  peppol: 'Peppol BIS Billing',
  other: 'another profile',
};

/** What is looked up on the page, by the names of EN 16931-1: a term that no field of the agent has is named by them. */
const terms: Readonly<Record<string, string>> = {
  'BT-1': 'Invoice number',
  'BT-2': 'Issue date',
  'BT-5': 'Currency',
  'BT-84': 'Payment account',
  'BT-109': 'Total without VAT',
  'BT-110': 'Total VAT',
  'BT-112': 'Total with VAT',
  'BT-115': 'Amount due',
};

const nameOf = ({ pointer }: Difference): string => terms[pointer] ?? placeText(pointer);

const Verdict = ({ of: { valid, violations } }: { readonly of: EInvoice }) => {
  if (valid === null) return <p class="soft">It is older than the rules of EN 16931, so none are applied.</p>;
  const errors = violations.filter(({ severity }) => severity === 'error').length;
  if (violations.length === 0) return <p class="verdict good">Valid: it keeps every rule of its profile</p>;
  const count = (number: number, what: string) =>
    number === 0 ? [] : [`${countText(number)} ${what}${number === 1 ? '' : 's'}`];
  return (
    <p class={`verdict ${valid ? 'warn' : 'bad'}`}>
      {valid ? 'Valid' : 'Not valid'}:{' '}
      {[...count(errors, 'error'), ...count(violations.length - errors, 'warning')].join(', ')}
    </p>
  );
};

const Violations = ({ of }: { readonly of: EInvoice['violations'] }) => (
  <ul class="remarks">
    {of.map(({ rule, severity, message, location }) => (
      <li class={severity === 'error' ? 'bad' : 'warn'}>
        <strong>{rule}</strong> {message} <span class="soft mono">{location}</span>
      </li>
    ))}
  </ul>
);

/** What the page shows otherwise; a click goes to the place on the page, and to the value of the field. */
const Differences = ({ of }: { readonly of: readonly Difference[] }) => (
  <table class="differences">
    <caption>The page shows something else than the XML</caption>
    <thead>
      <tr>
        <th scope="col">Value</th>
        <th scope="col">In the XML</th>
        <th scope="col">On the page</th>
      </tr>
    </thead>
    <tbody>
      {of.map((difference) => (
        <tr>
          <th scope="row">{nameOf(difference)}</th>
          <td>{difference.xml}</td>
          <td>
            {difference.page_value === null ? (
              <span class="soft">nothing of the kind</span>
            ) : (
              <button type="button" class="text" onClick={() => focusValue(difference.pointer)}>
                {difference.page_value}
                <span class="soft">, page {difference.page}</span>
              </button>
            )}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

/** The XML as it came: it is in the first of the files that has one. */
const downloadXml = async ({ id, name }: Detail): Promise<void> => {
  const { files } = await cache.fetchQuery(filesOf(id));
  for (const { index } of files) {
    try {
      const params = { path: { id, index } };
      const answer = await api.exchange('get', '/api/v1/documents/{id}/files/{index}/einvoice', { params });
      download(await blobOf(answer), `${name.replace(/\.[^.]*$/, '')}.xml`);
      return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  throw new Error('The XML is no longer kept.');
};

/** What is known of the e-invoice that the document was read from. */
export const EInvoice = ({ document }: { readonly document: Detail }) => {
  const { einvoice } = document;
  if (einvoice === null) return null;
  const { syntax, profile, specification, violations, differences } = einvoice;
  return (
    <section class="panel einvoice" aria-label="E-invoice">
      <div class="about">
        <h2>E-invoice</h2>
        <span class="soft">{`${profiles[profile]}, ${syntaxes[syntax]}`}</span>
        <Action class="plain" does={() => downloadXml(document)} busy="Downloading…">
          Download the XML
        </Action>
      </div>
      <Verdict of={einvoice} />
      {profile === 'other' && <p class="soft">Its specification: {specification || 'it names none'}</p>}
      {violations.length > 0 && <Violations of={violations} />}
      {differences.length > 0 && <Differences of={differences} />}
    </section>
  );
};

/**
 * Where a page shows the values of an e-invoice inside of it, and what it shows in their place: their evidence names the XML.
 * Of several files with pages, nothing says which one it is.
 */
export const shownPlaces = (
  { einvoice, evidence }: Detail,
  drawn: readonly Schemas['DocumentFile'][],
): Readonly<Record<string, Place>> => {
  const [file, ...others] = drawn;
  if (einvoice === null || file === undefined || others.length > 0) return {};
  const same = Object.entries(evidence).filter(([, { source, boxes }]) => source === 'xml' && boxes.length > 0);
  return Object.fromEntries(
    [...same, ...einvoice.differences.map((each) => [each.pointer, each] as const)].map(([pointer, { boxes }]) => [
      pointer,
      { file_name: file.file_name, page: boxes[0]?.page ?? null, boxes },
    ]),
  );
};
