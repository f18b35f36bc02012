/** The environment as a lookup, so that what reads it stays pure. */
export type Environment = (name: string) => string | undefined;
