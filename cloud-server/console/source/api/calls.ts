// Calls of the operators' interface, with the paths and types of its OpenAPI document (schema.ts is made of it).
import createClient from 'openapi-fetch';
import {carry, type Answer, type CallOptions} from './client';
import type {paths} from './schema';

const ROOT = '/api/v1';
type Interface = {[P in keyof paths as P extends `/api/v1${infer Rest}` ? Rest : never]: paths[P]};
export type Path = keyof Interface;
type Method = 'get' | 'post' | 'put' | 'delete';
type Operation<P extends Path, M extends Method> = Interface[P] extends {[m in M]: infer O} ? O : never;
// The paths that know the method.
type PathOf<M extends Method> = {[P in Path]: Interface[P] extends {[m in M]: {responses: unknown}} ? P : never}[Path];
type JsonOf<T> = T extends {content: {'application/json': infer J}} ? J : unknown;
export type Told<P extends Path, M extends Method = 'get'> = Operation<P, M> extends {responses: {200: infer R}} ? JsonOf<R> : unknown;

type Parameters<O> = O extends {parameters: infer X} ? X : never;
type InPath<O> = Parameters<O> extends {path: infer X} ? {path: X} : {path?: never};
type InQuery<O> = Parameters<O> extends {query: infer X} ? {query: X} : Parameters<O> extends {query?: infer X} ? {query?: X} : {query?: never};
type InBody<O> = O extends {requestBody: {content: {'application/json': infer B}}} ? {body: B} : O extends {requestBody?: {content: {'application/json': infer B}}} ? {body?: B} : {body?: never};
export type Body<P extends Path, M extends Method> = NonNullable<InBody<Operation<P, M>>['body']>;
type Where<O> = InPath<O> & InQuery<O>;
// What stands in the path is asked for; nothing where nothing does.
type Given<T> = Record<string, never> extends T ? [T?] : [T];

const client = createClient<Interface>({baseUrl: ROOT, fetch: (request) => carry(request)});
type Raw = (path: string, init: object) => Promise<{data?: unknown; response: Response}>;
const raw = {get: client.GET, post: client.POST, put: client.PUT, delete: client.DELETE} as unknown as Record<Method, Raw>;

// Something that can be read, also anew and in pages: which path with which parameters.
export interface Link<T> {
  key: string;
  read: (more?: Record<string, unknown>) => Promise<T>;
}

export function to<P extends PathOf<'get'>>(path: P, ...[where]: Given<Where<Operation<P, 'get'>>>): Link<Told<P>> {
  const given = (where ?? {}) as {path?: object; query?: Record<string, unknown>};
  return {
    key: `${path} ${JSON.stringify(given)}`,
    read: async (more) => (await raw.get(path, {params: {path: given.path, query: known({...given.query, ...more})}})).data as Told<P>,
  };
}

// What is empty is not asked for.
const known = (query: Record<string, unknown>) => Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined && value !== ''));

export const read = <P extends PathOf<'get'>>(path: P, ...where: Given<Where<Operation<P, 'get'>>>): Promise<Told<P>> => to(path, ...where).read();

type AnySending = {path?: object; query?: object; body?: unknown} & CallOptions;
async function sent<T>(method: Method, path: string, options: AnySending): Promise<Answer<T>> {
  const headers = {...(options.key ? {'Idempotency-Key': options.key} : {}), ...(options.match ? {'If-Match': options.match} : {})};
  const {data, response} = await raw[method](path, {params: {path: options.path, query: options.query}, headers,
    ...(method === 'get' ? {} : {body: options.body ?? (method === 'delete' ? undefined : {})})});
  return {value: data as T, etag: response.headers.get('ETag')};
}

type Sending<P extends Path, M extends Method> = Given<Where<Operation<P, M>> & InBody<Operation<P, M>> & CallOptions>;

// With the ETag of the answer, for what people edit.
export const readTagged = <P extends PathOf<'get'>>(path: P, ...[where]: Given<Where<Operation<P, 'get'>>>): Promise<Answer<Told<P>>> => sent<Told<P>>('get', path, (where ?? {}) as AnySending);
export const send = async <P extends PathOf<'post'>>(path: P, ...[options]: Sending<P, 'post'>): Promise<Told<P, 'post'>> => (await sent<Told<P, 'post'>>('post', path, (options ?? {}) as AnySending)).value;
export const replace = async <P extends PathOf<'put'>>(path: P, ...[options]: Sending<P, 'put'>): Promise<Told<P, 'put'>> => (await sent<Told<P, 'put'>>('put', path, (options ?? {}) as AnySending)).value;
export const drop = async <P extends PathOf<'delete'>>(path: P, ...[options]: Sending<P, 'delete'>): Promise<Told<P, 'delete'>> => (await sent<Told<P, 'delete'>>('delete', path, (options ?? {}) as AnySending)).value;
