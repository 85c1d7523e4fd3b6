// Where a text stops being JSON (RFC 8259): what browsers say of it differs, and often names no place.
export function placeOfJsonError(text: string): {line: number; column: number} | undefined {
  let at = 0;
  class Wrong extends Error {}
  const skip = (what: RegExp): boolean => {
    what.lastIndex = at;
    const found = what.exec(text);
    if (!found) return false;
    at = what.lastIndex;
    return true;
  };
  const need = (what: RegExp) => { if (!skip(what)) throw new Wrong(); };
  const space = () => skip(/[ \t\r\n]*/y);
  const string = () => need(/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y);
  const list = (end: RegExp, item: () => void) => {
    space();
    if (skip(end)) return;
    for (;;) {
      item();
      space();
      if (skip(end)) return;
      need(/,/y);
      space();
    }
  };
  const value = () => {
    space();
    if (skip(/\[/y)) return list(/\]/y, value);
    if (skip(/\{/y)) return list(/\}/y, () => { string(); space(); need(/:/y); value(); });
    if (text[at] === '"') return string();
    return need(/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y);
  };
  try {
    value();
    space();
    if (at === text.length) return undefined;
  } catch (error) {
    if (!(error instanceof Wrong)) return undefined;  // nested too deep for us: no place is known
  }
  const before = text.slice(0, at).split('\n');
  return {line: before.length, column: (before.at(-1)?.length ?? 0) + 1};
}
