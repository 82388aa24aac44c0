/** Five small tools. */
export const benchTools = ['echo', 'reverse', 'count', 'trim', 'repeat'].map((name) => ({
  name,
  description: `Takes a text and answers what ${name} makes of it.`,
  inputSchema: {
    type: 'object',
    properties: { message: { type: 'string', minLength: 1, maxLength: 1000, description: 'The text.' } },
    required: ['message'],
    additionalProperties: false,
  },
}));
