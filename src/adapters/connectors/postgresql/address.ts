/** What is wrong with an address, or null. */
export const addressDefect = (address: string): string | null =>
  /^postgres(?:ql)?:$/.test(URL.parse(address)?.protocol ?? '')
    ? null
    : 'must be an address that begins with postgresql://';
