import { options, render } from 'preact';
import { SurroundingsContext } from './client/context.js';
import { forgetLastPerson } from './client/last-person.js';
import { openQueries } from './client/queries.js';
import { openService } from './client/service.js';
import { openAppearance } from './engines/appearance.js';
import { browserClock } from './engines/clock.js';
import { openClipboard } from './engines/clipboard.js';
import { openFiles } from './engines/files.js';
import { openKeyboard } from './engines/keys.js';
import { openNavigation } from './engines/navigation.js';
import { openStorage } from './engines/storage.js';
import { openTabs } from './engines/tabs.js';
import { openUnsavedWork } from './engines/unsaved-work.js';
import { openWorkers } from './engines/workers.js';
import { markNode } from './parts/marked-nodes.js';
import { NoticeContext } from './parts/notice.js';
import { App } from './shell/app.js';

// Assets lie one folder below the console, and the interface beside it, whatever a proxy prepends.
const root = new URL('../', import.meta.url);
const origin = new URL('../', root).href.replace(/\/$/, '');

const storage = openStorage(window);
const service = openService(origin, {
  storage,
  tabs: openTabs(window),
  clock: browserClock,
  fetch: window.fetch.bind(window),
});
const surroundings = {
  navigation: openNavigation(window, root),
  storage,
  clock: browserClock,
  clipboard: openClipboard(window),
  files: openFiles(window),
  keyboard: openKeyboard(document),
  appearance: openAppearance(document.documentElement, storage),
  workers: openWorkers(window, new URL('.', import.meta.url)),
  unsaved: openUnsavedWork(window),
  service,
  queries: openQueries(),
};

forgetLastPerson(surroundings);
// Before the first render: without a login, that one draws the sign-in.
void service.session.open();
const drawBefore = options.vnode?.bind(options);
options.vnode = (node) => {
  markNode(node);
  drawBefore?.(node);
};

const element = document.querySelector('#app');
if (element !== null) {
  render(
    <SurroundingsContext.Provider value={surroundings}>
      <NoticeContext.Provider value={{ clock: browserClock, lagSeconds: service.lagSeconds }}>
        <App />
      </NoticeContext.Provider>
    </SurroundingsContext.Provider>,
    element,
  );
}
