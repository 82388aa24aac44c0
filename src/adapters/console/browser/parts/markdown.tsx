import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';

/** Longer texts are shown as they are, and so are those with parts in parts in parts: to draw them takes the browser's whole stack. */
const LONGEST = 20_000;
const DEEPEST = 30;

/** Where the headings of a text begin in those of the page. */
const TOP = 3;

/** What a model writes must not lead into a script. */
const isSafe = (href: string) => /^(?:https?:\/\/|mailto:)/i.test(href);

const Outside = ({ href, children }: { readonly href: string; readonly children: ComponentChildren }) => (
  <a href={href} title={href} target="_blank" rel="noreferrer noopener">
    {children}
  </a>
);

const Cell = ({ is: Tag, cell }: { readonly is: 'th' | 'td'; readonly cell: Tokens.TableCell }) => (
  <Tag style={cell.align ? { textAlign: cell.align } : undefined}>
    <Written tokens={cell.tokens} />
  </Tag>
);

const Table = ({ header, rows }: Tokens.Table) => (
  <div class="scrolled" tabindex={0}>
    <table>
      <thead>
        <tr>
          {header.map((cell, index) => (
            <Cell key={index} is="th" cell={cell} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, line) => (
          <tr key={line}>
            {row.map((cell, index) => (
              <Cell key={index} is="td" cell={cell} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const List = ({ ordered, start, items }: Tokens.List) => {
  const entries = items.map(({ tokens }, index) => (
    <li key={index}>
      <Written tokens={tokens} />
    </li>
  ));
  return ordered ? <ol start={Number(start || 1)}>{entries}</ol> : <ul>{entries}</ul>;
};

const Heading = ({ depth, tokens }: Tokens.Heading) => {
  const Tag = `h${Math.min(6, TOP + depth)}` as 'h4';
  return (
    <Tag>
      <Written tokens={tokens} />
    </Tag>
  );
};

/** Of what has other parts in it and is nothing more. */
const tags = { paragraph: 'p', blockquote: 'blockquote', strong: 'strong', em: 'em', del: 'del' } as const;

/** What each part of a text is on the page. HTML is shown as it is written, and a picture is what its author calls it: none is fetched. */
const elementOf = (token: MarkedToken): JSX.Element | string | null => {
  switch (token.type) {
    case 'heading':
      return <Heading {...token} />;
    case 'list':
      return <List {...token} />;
    case 'table':
      return <Table {...token} />;
    case 'paragraph':
    case 'blockquote':
    case 'strong':
    case 'em':
    case 'del': {
      const Tag = tags[token.type];
      return (
        <Tag>
          <Written tokens={token.tokens} />
        </Tag>
      );
    }
    case 'code':
      return <pre tabindex={0}>{token.text}</pre>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'link':
      return isSafe(token.href) ? (
        <Outside href={token.href}>
          <Written tokens={token.tokens} />
        </Outside>
      ) : (
        <Written tokens={token.tokens} />
      );
    case 'image':
      return isSafe(token.href) ? <Outside href={token.href}>{token.text || token.href}</Outside> : token.text;
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'br':
      return <br />;
    case 'hr':
      return <hr />;
    case 'text':
      return token.tokens ? <Written tokens={token.tokens} /> : token.text;
    case 'escape':
      return token.text;
    case 'html':
      return token.raw;
    default:
      return null;
  }
};

const Written = ({ tokens }: { readonly tokens: readonly Token[] }) => (
  <>{tokens.map((token) => elementOf(token as MarkedToken))}</>
);

const partsOf = ({ tokens = [], items = [], header = [], rows = [] }: Tokens.Generic): readonly Token[] =>
  [tokens, items, header, rows.flat()].flat();

const isDeep = (tokens: readonly Token[]): boolean => {
  let level = tokens;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return true;
    level = level.flatMap(partsOf);
  }
  return false;
};

/** null if it is to be shown as it is. */
const tokensOf = (text: string): readonly Token[] | null => {
  if (text.length > LONGEST) return null;
  try {
    const tokens = Lexer.lex(text, { gfm: true });
    return isDeep(tokens) ? null : tokens;
  } catch {
    return null;
  }
};

/** A text in Markdown, as elements: no HTML of its author's is ever made. */
export const Markdown = ({ text }: { readonly text: string }) => {
  const tokens = useMemo(() => tokensOf(text), [text]);
  if (tokens === null) return <p class="said">{text}</p>;
  return (
    <div class="written">
      <Written tokens={tokens} />
    </div>
  );
};
