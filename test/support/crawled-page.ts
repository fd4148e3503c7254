/** Scripts that run within a page whose controls are crawled. */

/** One control of the topmost layer of a page. */
export type Control = {
  /** Kind and label, without ids and numbers: the same for controls that are alike. */
  readonly name: string;
  /** Order in which controls of a layer are used; fields before the buttons that send them. */
  readonly rank: number;
  /** Part of the page that every page has. */
  readonly isOfShell: boolean;
  /** Position among the controls of its row; null outside of rows. */
  readonly placeInRow: string | null;
  readonly isEnabled: boolean;
  /** Why it is disabled, as its user reads it. */
  readonly reason: string;
};

/** The topmost layer of a page: an open menu or dialog, else the page. */
export type Layer = {
  readonly isPage: boolean;
  /** Empty for the page. */
  readonly title: string;
  readonly path: string;
  readonly controls: readonly Control[];
};

/** A write that the page sent, as `METHOD /path`. */
export type SentWrite = { readonly line: string; readonly status: number };

/**
 * Script for every document of a crawl. Offers `crawl` with the layer that is shown and ways to
 * press its controls, each of which resolves once the page has nothing to load. `postponed`:
 * pattern of writes that would take away what is still to press: the page is told of a conflict,
 * and `sendPostponed` sends them for good.
 */
export const crawledPage = (postponed: RegExp): string => `(() => {
  ${frames}
  ${requests(postponed)}
  ${quiet}
  ${layers}
  ${presses}
  window.crawl = { show, press, leave, go, writes, sendPostponed };
})()`;

/** Frames come at once: a page that nobody looks at is not painted for them. */
const frames = `
  window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()));
  window.cancelAnimationFrame = clearTimeout;
  delete window.showSaveFilePicker;`;

const requests = (postponed: RegExp): string => `
  const send = window.fetch.bind(window);
  const writes = [];
  const later = new Map();
  let open = 0;
  const conflict = { type: 'urn:assay:problem:conflict', title: 'Conflict', status: 409 };
  const lineOf = (input, init) =>
    (init.method ?? 'GET') + ' ' + new URL(String(input), location.href).pathname;
  const received = async (input, init) => {
    const answer = await send(input, init);
    const line = lineOf(input, init);
    if (!line.startsWith('GET ')) writes.push({ line, status: answer.status });
    const hasBody = ![204, 205, 304].includes(answer.status);
    return new Response(hasBody ? await answer.arrayBuffer() : null, answer);
  };
  window.fetch = async (input, init = {}) => {
    const line = lineOf(input, init);
    const isTrial = String(init.body).includes('"dry_run":true');
    if (${String(postponed)}.test(line) && !isTrial) {
      later.set(line, () => received(input, { ...init, signal: null }));
      const headers = { 'Content-Type': 'application/problem+json' };
      return new Response(JSON.stringify(conflict), { status: 409, headers });
    }
    open += 1;
    try {
      return await received(input, init);
    } finally {
      open -= 1;
    }
  };
  const depth = ([line]) => line.split('/').length;
  /** Longer paths go first: a thing before the one that it is in. */
  const sendPostponed = async () => {
    for (const [, sendNow] of [...later].sort((a, b) => depth(b) - depth(a))) await sendNow();
  };`;

const quiet = `
  const isLoading = () =>
    open > 0 ||
    document.querySelector('h1') === null ||
    document.querySelector('.skeleton') !== null;
  const untilQuiet = async () => {
    for (let calm = 0; calm < 3; calm = isLoading() ? 0 : calm + 1) {
      // Effects of what was drawn come in the frame after it: dialogs open there.
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    }
  };`;

const layers = `
  const selector =
    'button, summary, select, input, textarea, .code-editor, main a[href], ' +
    '.grid-body > :first-child > [data-place]';
  /** Links are controls where they change the view of the page, and not the page. */
  const isControl = (one) =>
    one.checkVisibility() &&
    (one.localName !== 'a' || (one.pathname === location.pathname && one.hash !== ''));
  let elements = [];
  const topmost = () =>
    document.querySelector('[role=menu]') ??
    [...document.querySelectorAll('dialog[open]')].at(-1) ??
    document.body;
  const isText = (element) => element.matches('textarea, input:not([type=checkbox], [type=radio])');
  const kindOf = (element) => element.getAttribute('role') ?? element.localName;
  const labelOf = (element) =>
    element.matches('[data-place]')
      ? element.className
      : element.getAttribute('aria-label') ??
        element.labels?.[0]?.textContent ??
        (element.textContent || element.title || element.placeholder || '');
  const plain = (text) =>
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '#')
      .replaceAll(/\\d+/g, '#')
      .replaceAll(/[↑↓]/g, '')
      .trim()
      .slice(0, 80);
  /** In a dialog fields come first; on a page last, since they may leave nothing to press. */
  const rankOf = (element, isPage) => {
    if (isText(element) || element.matches('select, .code-editor')) return isPage ? 4 : 0;
    if (element.matches('input')) return 1;
    if (element.matches('[type=submit]')) return isPage ? 5 : 2;
    if (element.matches('[role=tab]')) return 6;
    return element.textContent === 'Close' ? 7 : 3;
  };
  const rows = 'li, tbody tr, .grid-row, [role=row], details.facet';
  const placeInRow = (element) => {
    const row = element.closest(rows);
    if (row === null) return null;
    const place = [...row.querySelectorAll(selector)].indexOf(element);
    return [row.localName, row.className, place, kindOf(element), element.className].join(' ');
  };
  const show = () => {
    const layer = topmost();
    const isPage = layer === document.body;
    elements = [...layer.querySelectorAll(selector)].filter(isControl);
    return {
      isPage,
      title: isPage ? '' : plain(layer.querySelector('h2')?.textContent ?? layer.ariaLabel ?? ''),
      path: location.pathname,
      controls: elements.map((element) => ({
        name: kindOf(element) + ' ' + plain(labelOf(element)),
        rank: rankOf(element, isPage),
        isOfShell: isPage && element.closest('main') === null,
        placeInRow: placeInRow(element),
        isEnabled: !element.matches(':disabled'),
        reason: element.title || element.closest('label')?.title || '',
      })),
    };
  };`;

const presses = `
  let count = 0;
  const textFor = (element) => {
    count += 1;
    const label = labelOf(element);
    const [, name] = /^Type (.+) to confirm$/.exec(label) ?? [];
    const texts = {
      search: 'crawled',
      number: '1',
      date: '2026-01-02',
      'datetime-local': '2026-01-02T03:04',
    };
    const isEmail = label.startsWith('E-mail');
    const text = isEmail ? 'crawled.' + count + '@example.org' : 'crawled ' + count;
    return name ?? texts[element.type] ?? text;
  };
  const change = (element, ...events) => {
    for (const event of events) element.dispatchEvent(new Event(event, { bubbles: true }));
  };
  const use = (element) => {
    if (element.matches('select')) {
      const other = [...element.options].find(({ selected, value }) => !selected && value !== '');
      if (other !== undefined) element.value = other.value;
      change(element, 'change');
    } else if (element.matches('[type=file]')) {
      const files = new DataTransfer();
      files.items.add(new File(['a,b\\n1,2\\n'], 'crawled.csv', { type: 'text/csv' }));
      element.files = files.files;
      change(element, 'change');
    } else if (isText(element)) {
      element.focus();
      element.value = textFor(element);
      change(element, 'input', 'change');
    } else if (element.matches('.code-editor')) {
      element.shadowRoot.querySelector('.cm-content').focus();
      document.execCommand('insertText', false, '# crawled ');
    } else element.click();
  };
  const press = async (index) => {
    use(elements[index]);
    await untilQuiet();
    return show();
  };
  /** Leaves the topmost dialog or menu. */
  const leave = async () => {
    const layer = topmost();
    if (layer.matches('dialog')) layer.dispatchEvent(new Event('cancel', { cancelable: true }));
    else layer.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    await untilQuiet();
    return show();
  };
  const go = async (address) => {
    history.pushState(null, '', address);
    dispatchEvent(new Event('popstate'));
    await untilQuiet();
    return show();
  };`;
