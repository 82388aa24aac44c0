/** The list that this tab of the browser keeps across a reload; empty if there is none. */
export const storedList = <T>(name: string): readonly T[] => {
  try {
    const list: unknown = JSON.parse(sessionStorage.getItem(name) ?? '[]');
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
};
