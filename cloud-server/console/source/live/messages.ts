// What a page and the shared worker say to each other.
import type {Connection, Kind} from './stream';

export type FromPage = {kind: 'hello'; headers: Record<string, string>} | {kind: 'here'} | {kind: 'bye'};
export type ToPage = {connection: Connection} | {event: Kind; value: unknown};
