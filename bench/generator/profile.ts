// How large and how rich the generated events are.

export interface Profile {
  readonly name: string;
  /** Characters of a chat, the shortest and the longest. */
  readonly chatLength: readonly [number, number];
  /** Characters of the arguments and results of tools. */
  readonly toolLength: readonly [number, number];
  /** How many of the chats, which are a third of the events, have `longLength` characters. */
  readonly longShare: number;
  readonly longLength: number;
  /** How many of the optional metadata keys an event has. */
  readonly metadataShare: number;
}

export const profiles = {
  /** About 2 KB per event. */
  full: {
    name: 'full',
    chatLength: [300, 8000],
    toolLength: [150, 600],
    longShare: 0.03,
    longLength: 50_000,
    metadataShare: 0.8,
  },
  /** About 0.8 KB per event, for 10 million of them. */
  lean: {
    name: 'lean',
    chatLength: [40, 300],
    toolLength: [20, 80],
    longShare: 0,
    longLength: 0,
    metadataShare: 0.2,
  },
} as const satisfies Record<string, Profile>;

export type ProfileName = keyof typeof profiles;
