import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Schemas } from '../../../../../../client/portico.ts';
import { to } from '../../../address.ts';
import { keyOf, type Piece, pagesText, type Sheet, sheetsOf } from '../../../division/division.ts';
import { Status } from '../../../parts/basics.tsx';
import type { Moves } from './moves.ts';
import { Thumbnail } from './thumbnail.tsx';
import type { Divided, RunPart } from './use-division.ts';
import type { PageSelection } from './use-selection.ts';

/** What pages look like, by their names. */
export type Looks = ReadonlyMap<string, { readonly index: number; readonly ratio: number; readonly isBlank: boolean }>;

/** A sheet of A4, until it is known. */
export const USUAL_RATIO = 1 / Math.SQRT2;

interface SheetsProps {
  readonly runId: string;
  readonly sheets: readonly Sheet[];
  readonly label: string;
  readonly looks: Looks;
  readonly indexes: ReadonlyMap<string, number>;
  readonly selection: PageSelection;
  readonly isMovable: boolean;
}

const Sheets = ({ runId, sheets, label, looks, indexes, selection, isMovable }: SheetsProps) => {
  const names = sheets.map(keyOf);
  const stop = selection.focused !== null && names.includes(selection.focused) ? selection.focused : names[0];
  return (
    <div class="sheets" role="listbox" aria-multiselectable="true" aria-label={label}>
      {sheets.map(({ fileName, page }, at) => {
        const name = names[at] as string;
        const look = looks.get(name);
        return (
          <Thumbnail
            key={name}
            runId={runId}
            name={name}
            fileName={fileName}
            isNamed={indexes.size > 1}
            page={page}
            index={look?.index ?? indexes.get(fileName) ?? null}
            ratio={look?.ratio ?? USUAL_RATIO}
            isBlank={look?.isBlank ?? false}
            isSelected={selection.has(name)}
            isStop={name === stop}
            isMovable={isMovable}
          />
        );
      })}
    </div>
  );
};

const percent = new Intl.NumberFormat(undefined, { style: 'percent' });
const MOST_QUOTED = 80;

const shortly = (text: string) => (text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED - 1).trimEnd()}…` : text);

/** Why the model made a part of it. */
const Grounds = ({ part }: { readonly part: RunPart }) => {
  const [evidence] = part.evidence;
  return (
    <span class="soft grounds">
      {part.confidence === null ? 'Made by a person' : `${percent.format(part.confidence)} sure`}
      {evidence && (
        <>
          {': '}
          <q>{shortly(evidence.quote)}</q>
          {evidence.page !== null && ` on page ${evidence.page}`}
        </>
      )}
    </span>
  );
};

const Document = ({ document }: { readonly document: Schemas['RunDocument'] }) => (
  <span>
    <a href={to(`/documents/${document.id}`)}>{document.name}</a> <Status of={document.status} />
  </span>
);

/** What the part is, and what comes of it. */
interface HeadProps extends Pick<StripProps, 'divided' | 'piece' | 'place' | 'kinds' | 'moves'> {
  readonly id: string;
}

const readerOf = (kinds: StripProps['kinds'], name: string) => {
  const kind = kinds.find((each) => each.name === name);
  return kind?.agent ? `read by ${kind.agent}` : 'nobody reads it';
};

const Head = ({ id, divided, piece, place, kinds, moves }: HeadProps) => {
  const part = divided.partOf(piece);
  const document = divided.documentOf(part);
  const isPosted = divided.isPosted(piece);
  const isNamed = moves !== null && !isPosted && kinds.length > 1;
  return (
    <div class="about">
      <h3 id={id}>
        <span class="unseen">Part </span>
        {place + 1}. <span class={isNamed ? 'unseen' : ''}>{piece.name}</span>
      </h3>
      {isNamed && (
        <select
          aria-label={`What part ${place + 1} is`}
          value={piece.name}
          onChange={({ currentTarget }) => moves?.rename(place, currentTarget.value)}
        >
          {kinds.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
      <span class="soft">{readerOf(kinds, piece.name)}</span>
      {part ? null : <span class="flag">not saved</span>}
      {document ? <Document document={document} /> : part && <Status of={part.status} />}
      {isPosted && <span class="flag">posted: it stays as it is</span>}
      {moves && piece.pages.length > 0 && place > 0 && divided.now[place - 1]?.fileName === piece.fileName && (
        <button type="button" class="text join" onClick={() => moves.join(place)}>
          Join with part {place}
        </button>
      )}
      {part && <Grounds part={part} />}
    </div>
  );
};

type Kind = { readonly name: string; readonly agent: string | null };

interface StripProps extends Omit<SheetsProps, 'sheets' | 'label' | 'isMovable'> {
  readonly divided: Divided;
  readonly piece: Piece;
  readonly place: number;
  readonly kinds: readonly Kind[];
  /** null: the user may not move pages. */
  readonly moves: Moves | null;
  readonly isOver: boolean;
}

/** A part: what it is, and its pages. */
export const Strip = (props: StripProps) => {
  const { divided, piece, place, moves, isOver, kinds, ...rest } = props;
  const id = useId();
  const look = `${isOver ? 'over' : ''} ${divided.partOf(piece) ? '' : 'fresh'}`;
  return (
    <section class={`strip ${look}`} data-drop={place} aria-labelledby={id}>
      <Head id={id} divided={divided} piece={piece} place={place} kinds={kinds} moves={moves} />
      <Sheets
        {...rest}
        sheets={sheetsOf(piece)}
        label={`Part ${place + 1}, ${piece.name}, ${pagesText(piece.pages) || piece.fileName}`}
        isMovable={moves !== null && !divided.isPosted(piece)}
      />
    </section>
  );
};

type UnassignedProps = Omit<SheetsProps, 'label'> & { readonly isOver: boolean; readonly children?: ComponentChildren };

/** What is in no part. */
export const Unassigned = ({ isOver, ...sheets }: UnassignedProps) => {
  const id = useId();
  return (
    <section class={`strip unassigned ${isOver ? 'over' : ''}`} data-drop="none" aria-labelledby={id}>
      <div class="about">
        <h3 id={id}>Not in any part</h3>
        <span class="soft">Nobody reads it.</span>
      </div>
      {sheets.sheets.length > 0 ? (
        <Sheets {...sheets} label="Not in any part" />
      ) : (
        <p class="soft">Every page is in a part.</p>
      )}
    </section>
  );
};
