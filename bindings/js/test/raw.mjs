// JSON text taken apart without changing it: numbers keep their digits.

/** The items of an array, or the members of an object, as raw text. */
export function parts(text) {
  const found = [];
  let at = skip(text, 0) + 1;
  for (;;) {
    at = skip(text, at);
    if (text[at] === ']' || text[at] === '}') return found;
    if (text[at] === ',') {
      at = skip(text, at + 1);
    }
    const end = valueEnd(text, at);
    const after = skip(text, end);
    if (text[after] === ':') {
      const start = skip(text, after + 1);
      const stop = valueEnd(text, start);
      found.push([JSON.parse(text.slice(at, end)), text.slice(start, stop)]);
      at = stop;
    } else {
      found.push(text.slice(at, end));
      at = end;
    }
  }
}

/** The members of an object by name. */
export const members = (text) => Object.fromEntries(parts(text));

function skip(text, at) {
  while (' \t\n\r'.includes(text[at])) at++;
  return at;
}

function valueEnd(text, at) {
  let open = 0;
  do {
    const c = text[at];
    if (c === '"') {
      for (at++; text[at] !== '"'; at++) if (text[at] === '\\') at++;
      at++;
    } else if (c === '{' || c === '[') {
      open++;
      at++;
    } else if (c === '}' || c === ']') {
      open--;
      at++;
    } else if (open > 0) {
      at++;
    } else {
      while (at < text.length && !',]} \t\n\r'.includes(text[at])) at++;
    }
  } while (open > 0);
  return at;
}
