/** The package's own types describe a default export, which its CommonJS build does not have: the function is the module. */
declare module 'bidi-js' {
  interface Bidi {
    getEmbeddingLevels(text: string, direction: 'ltr' | 'rtl'): { readonly levels: Uint8Array };
    getReorderedString(text: string, levels: { readonly levels: Uint8Array }): string;
  }
  function bidiFactory(): Bidi;
  export = bidiFactory;
}
