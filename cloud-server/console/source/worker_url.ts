// The scripts that pages start by their address: workers. Trusted Types let the one policy `ferry` name them, and no other.
declare const FERRY_LIVE_URL: string;
declare const FERRY_GRAPH_URL: string;

interface Policy { createScriptURL: (url: string) => string }
interface TrustedTypes { createPolicy: (name: string, rules: Policy) => Policy }

let policy: Policy | null = null;

export function workerUrl(name: 'live' | 'graph'): string {
  const known = name === 'live' ? FERRY_LIVE_URL : FERRY_GRAPH_URL;
  const check = (url: string) => {
    if (url !== FERRY_LIVE_URL && url !== FERRY_GRAPH_URL) throw new TypeError('no script of the console');
    return url;
  };
  const trusted = (window as unknown as {trustedTypes?: TrustedTypes}).trustedTypes;
  policy ??= trusted ? trusted.createPolicy('ferry', {createScriptURL: check}) : {createScriptURL: check};
  return policy.createScriptURL(known);
}
