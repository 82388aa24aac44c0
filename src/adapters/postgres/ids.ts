const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text can be an id at all: asked first, because the database answers anything else with an error, not with "none". */
export const isId = (text: string): boolean => uuid.test(text);
