import { useQuery } from '@tanstack/preact-query';
import type { Schemas } from '../../../../../client/portico.ts';
import { doors } from '../../../../../domain/access.ts';
import { postingWord } from '../../../../../domain/posting-words.ts';
import { to } from '../../address.ts';
import { pagesText } from '../../division/division.ts';
import { countText, Status, Time } from '../../parts/basics.tsx';
import { allowed, stateOf } from '../../parts/document-state.ts';
import { PostingState } from '../../parts/posting.tsx';
import { filesOf } from './files.ts';

type Detail = Schemas['DocumentDetail'];

/** Nothing of a document that was made of a message alone. */
const Coverage = ({ of }: { readonly of: NonNullable<Detail['coverage']> }) => {
  const share = (read: number, all: number, what: string) =>
    all > 0 ? [`${countText(read)} of ${countText(all)} ${what}`] : [];
  const parts = [
    ...share(of.pages_read, of.pages_total, 'pages'),
    ...share(of.characters_read, of.characters_total, 'characters'),
  ];
  if (parts.length === 0 && of.complete) return null;
  return (
    <div>
      <dt>Read</dt>
      <dd>
        {parts.join(', ')} {!of.complete && <span class="flag">not all of it</span>}
        {of.unread.length > 0 && (
          <ul>
            {of.unread.map(({ file_name: file, page, what }) => (
              <li>{[file, page !== null && `page ${page}`, what].filter(Boolean).join(', ')}</li>
            ))}
          </ul>
        )}
      </dd>
    </div>
  );
};

const Review = ({ document }: { readonly document: Detail }) => {
  const { status, reviewer, note, decided_at: at, decided_via: via } = document.review;
  const isOpen = reviewer !== null && allowed(document).edit;
  return (
    <>
      <Status of={status} />{' '}
      {reviewer && (
        <span class="soft">
          by {reviewer.name} {via && doors[via]}, <Time at={at} />
          {isOpen && '; a change opens it again'}
        </span>
      )}
      {note && <p>“{note}”</p>}
    </>
  );
};

/** Of a document that was read from a part of a file: which pages they are, and the way to the parts. */
const Part = ({ document }: { readonly document: Detail }) => {
  const part = useQuery(filesOf(document.id)).data?.part;
  if (!part) return null;
  const { name, file_name: fileName, pages } = part;
  return (
    <div>
      <dt>Pages</dt>
      <dd>
        {pages.length === 0 ? fileName : `${pagesText(pages)} of ${fileName}`},{' '}
        <a href={to(`/runs/${document.run_id}`)}>part of a run{name && `: ${name}`}</a>
      </dd>
    </div>
  );
};

interface FactsProps {
  readonly document: Detail;
  /** Whether its agent has a system of record. */
  readonly isPosted: boolean;
}

export const Facts = ({ document, isPosted }: FactsProps) => (
  <dl class="facts">
    <div>
      <dt>Status</dt>
      <dd>
        <Status of={stateOf(document, isPosted)} />
      </dd>
    </div>
    {document.review.status !== 'not_required' && (
      <div>
        <dt>Review</dt>
        <dd>
          <Review document={document} />
        </dd>
      </div>
    )}
    <div>
      <dt>From</dt>
      <dd>
        <a href={to(`/runs/${document.run_id}`)}>run</a> of <Time at={document.created_at} />
      </dd>
    </div>
    <Part document={document} />
    <div>
      <dt>Read by</dt>
      <dd>
        {document.model}, version {document.agent_version}
      </dd>
    </div>
    {document.coverage && <Coverage of={document.coverage} />}
    {postingWord(document) !== null && (
      <div>
        <dt>Posting</dt>
        <dd>
          <PostingState of={document} />
        </dd>
      </div>
    )}
    {document.hold && (
      <div class="long">
        <dt>Held</dt>
        <dd>
          Nobody can delete it.{' '}
          <span class="soft">
            By {document.hold.by.name}, <Time at={document.hold.at} />
          </span>
          <p>“{document.hold.reason}”</p>
        </dd>
      </div>
    )}
    {document.external_reference && (
      <div class="long">
        <dt>Entered as</dt>
        <dd class="mono">{document.external_reference}</dd>
      </div>
    )}
  </dl>
);
