import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useKeys } from '../../../keys.ts';
import { Button } from '../../../parts/basics.tsx';
import { FileText } from './file-text.tsx';
import { PageImage } from './page-image.tsx';
import { PageNumber, usePageNumber } from './page-number.tsx';
import { type File, numbersOf, placesIn, type SourceProps } from './places.ts';
import { Quotes } from './quotes.tsx';
import { Thumbnails } from './thumbnails.tsx';
import { fitWidth, isLeast, isMost, setThumbnails, type Turn, thumbnails, zoom, zoomIn, zoomOut } from './view.ts';
import { useZooming } from './zooming.ts';

interface PagesProps {
  readonly file: File;
  readonly of: SourceProps;
  readonly turn: Turn;
}

/** A file as people see it, with the places of the values: its pages, or its text if it has none. */
const Shown = ({ file, of, turn }: PagesProps) => {
  const places = placesIn(file.file_name, of);
  return (
    <div class="file">
      <FileName file={file} />
      {file.pages.length === 0 && <FileText file={file} of={of} />}
      {file.pages.map((page) => (
        <PageImage
          {...of}
          key={page.page}
          documentId={of.document.id}
          file={file}
          page={page}
          turn={turn}
          places={places.filter(({ box }) => box.page === page.page)}
        />
      ))}
    </div>
  );
};

const FileName = ({ file }: { readonly file: File }) => (
  <p class="soft file-name">
    <span class="cut">{file.file_name}</span>
    {file.download_url && (
      <a href={file.download_url} download={file.file_name} rel="noreferrer" aria-label={`Download ${file.file_name}`}>
        Download
      </a>
    )}
  </p>
);

interface ToolsProps {
  readonly number: number;
  readonly numbers: readonly number[];
  readonly goTo: (wanted: number) => void;
  readonly turn: () => void;
}

const Tools = ({ number, numbers, goTo, turn }: ToolsProps) => (
  <div class="tools" role="toolbar" aria-label="How the pages are shown">
    <PageNumber number={number} numbers={numbers} goTo={goTo} />
    <span class="pair">
      <Button class="plain" aria-label="Smaller" off={isLeast(zoom.value)} onClick={zoomOut}>
        −
      </Button>
      <Button class="plain" aria-label="Larger" off={isMost(zoom.value)} onClick={zoomIn}>
        +
      </Button>
    </span>
    <button type="button" class="plain" aria-pressed={zoom.value === 1} onClick={fitWidth}>
      Fit width
    </button>
    <span class="soft" role="status" aria-label="Size">
      {Math.round(zoom.value * 100)} %
    </span>
    <button type="button" class="plain" onClick={turn}>
      Turn
    </button>
    {numbers.length > 1 && (
      <button
        type="button"
        class="plain"
        aria-pressed={thumbnails.value}
        onClick={() => setThumbnails(!thumbnails.value)}
      >
        Pages
      </button>
    )}
  </div>
);

const Drawn = (props: SourceProps) => {
  const { files, document } = props;
  const turn = useSignal<Turn>(0);
  const scroller = useRef<HTMLDivElement>(null);
  const numbers = numbersOf(files);
  const count = numbers.length;
  const { number, goTo } = usePageNumber(scroller, count);
  useZooming(scroller);
  const turnOn = () => {
    turn.value = ((turn.value + 1) % 4) as Turn;
  };
  useKeys([
    { key: '+', does: 'Larger pages; with Ctrl, the wheel does so', act: zoomIn },
    { key: '-', does: 'Smaller pages', act: zoomOut },
    { key: '0', does: 'Pages as wide as their place', act: fitWidth },
  ]);
  return (
    <>
      {count > 0 && <Tools number={number} numbers={numbers} goTo={goTo} turn={turnOn} />}
      <div class="seen">
        {thumbnails.value && count > 1 && (
          <Thumbnails documentId={document.id} files={files} numbers={numbers} number={number} goTo={goTo} />
        )}
        <div class="view" ref={scroller} tabindex={0} role="group" aria-label={count > 0 ? 'Pages' : 'Files'}>
          <div class="zoomed" style={{ width: `${zoom.value * 100}%` }}>
            {files.map((file) => (
              <Shown key={file.index} file={file} of={props} turn={turn.value} />
            ))}
          </div>
        </div>
      </div>
    </>
  );
};

/** Where the values of a document stand. */
export const Source = (props: SourceProps) => (
  <section class="panel source" aria-label="Where they stand">
    {props.files.length > 0 ? (
      <Drawn {...props} />
    ) : (
      <div class="view" tabindex={0} role="group" aria-label="Quotes">
        <h2>Where they stand</h2>
        <Quotes {...props} />
      </div>
    )}
  </section>
);
