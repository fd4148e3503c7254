/** The worker's reactions to the log. */
export const startErasing = () => ({ stop: async (): Promise<void> => undefined });
