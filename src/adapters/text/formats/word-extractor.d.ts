declare module 'word-extractor' {
  interface Options {
    /** false: typographic signs are kept as they are. */
    readonly filterUnicode?: boolean;
    readonly includeFooters?: boolean;
  }
  interface Document {
    getBody(options?: Options): string;
    getHeaders(options?: Options): string;
    getFooters(options?: Options): string;
    getTextboxes(options?: Options): string;
    getFootnotes(options?: Options): string;
    getEndnotes(options?: Options): string;
    getAnnotations(options?: Options): string;
  }
  export default class WordExtractor {
    extract(source: Buffer): Promise<Document>;
  }
}
