/**
 * Names under which a price of the model may stand besides its own, in the order in which they are
 * tried (contract 5.4): in lower case and without what stands before the last `/`, then further
 * without each of `[1m]`, Bedrock's region and vendor, its version (`-v1:0`), Vertex' `@…`, a
 * date and `-latest`.
 */
export const simplifiedNames = (model: string): readonly string[] => {
  const names: string[] = [];
  let name = model.toLowerCase();
  const add = (next: string): void => {
    name = next;
    if (name !== '' && name !== model && !names.includes(name)) names.push(name);
  };
  add(name.slice(name.lastIndexOf('/') + 1));
  add(withoutEnd(name, /\[[^[\]]*\]$/));
  for (let prefix = vendorOf(name); prefix !== null; prefix = vendorOf(name)) {
    add(name.slice(prefix.length));
  }
  add(withoutEnd(name, /-v\d+:[\d:k]+$/));
  add(withoutEnd(name, /@[^@]*$/));
  add(withoutEnd(name, /-(?:\d{8}|\d{4}-\d{2}-\d{2})$/));
  add(withoutEnd(name, /-latest$/));
  return names;
};

/** Names are at most this long where patterns run on them, so that each takes a bounded time. */
const endMax = 64;
const withoutEnd = (name: string, end: RegExp): string => {
  const from = Math.max(name.length - endMax, 0);
  return name.slice(0, from) + name.slice(from).replace(end, '');
};

/** `us.`, then `anthropic.` of `us.anthropic.claude…`: letters before a dot; null: none. */
const vendorOf = (name: string): string | null => {
  const dot = name.indexOf('.');
  const word = name.slice(0, dot);
  return dot > 0 && /^[a-z][a-z-]*$/.test(word) ? `${word}.` : null;
};
