// What the page does by itself: previews, the source panel, copying, and following the answer.
(() => {
  'use strict';
  const byId = (id) => document.getElementById(id);
  const NEAR_PX = 160;

  // ------------------------------------------------------------ preview of a chip
  let preview = null;

  function showPreview(chip) {
    hidePreview();
    preview = document.createElement('div');
    preview.id = 'preview';
    preview.setAttribute('role', 'tooltip');
    const title = document.createElement('strong');
    title.textContent = chip.dataset.title;
    const quote = document.createElement('q');
    quote.textContent = chip.dataset.quote;
    preview.append(title, quote);
    document.body.append(preview);
    const at = chip.getBoundingClientRect();
    const box = preview.getBoundingClientRect();
    const left = Math.min(Math.max(8, at.left - 24), innerWidth - box.width - 8);
    const above = at.top - box.height - 8;
    preview.style.left = `${left}px`;
    preview.style.top = `${above > 8 ? above : at.bottom + 8}px`;
  }

  function hidePreview() {
    if (preview) preview.remove();
    preview = null;
  }

  const chipOf = (event) => event.target.closest && event.target.closest('[data-quote]');
  document.addEventListener('mouseover', (event) => {
    const chip = chipOf(event);
    if (chip) showPreview(chip);
    else hidePreview();
  });
  document.addEventListener('focusin', (event) => {
    const chip = chipOf(event);
    if (chip && chip.matches(':focus-visible')) showPreview(chip);
    else hidePreview();
  });
  document.addEventListener('scroll', hidePreview, true);

  // ------------------------------------------------------------ the source panel
  let opener = null;
  let byKeyboard = false;
  let drawnSource = null;

  function openSource(button, event) {
    hidePreview();
    opener = button;
    // A click by the keyboard has no count; the focus then goes where the reader does.
    byKeyboard = event.detail === 0;
    document.body.classList.add('source-open');
    if (button.getAttribute('aria-pressed') === 'true') enterSource();
    document.querySelectorAll('[aria-pressed]').forEach((b) => b.removeAttribute('aria-pressed'));
    button.setAttribute('aria-pressed', 'true');
  }

  function closeSource() {
    if (!document.body.classList.contains('source-open')) return;
    document.body.classList.remove('source-open');
    if (opener && opener.isConnected) opener.focus();
  }

  function enterSource() {
    const place = byId('cited') || document.querySelector('#source h2');
    if (byKeyboard && place) place.focus({ preventScroll: true });
    byKeyboard = false;
  }

  function sourceChanged() {
    const panel = byId('source');
    const cited = byId('cited');
    const article = document.querySelector('#source article');
    if (article !== drawnSource) enterSource();
    drawnSource = article;
    if (!panel || !cited) return;
    const within = panel.getBoundingClientRect();
    const at = cited.getBoundingClientRect();
    panel.scrollTop += at.top - within.top - within.height / 3;
  }

  // ------------------------------------------------------------ copying
  function plainText(turn) {
    const copy = turn.cloneNode(true);
    copy.querySelectorAll('.actions, .fold, .evidence, .stage, .partly').forEach((e) => e.remove());
    copy.querySelectorAll('.chip').forEach((c) => c.replaceWith(` ${c.textContent}`));
    return [...copy.children].map((e) => e.textContent.trim()).filter(Boolean).join('\n\n');
  }

  // Browsers keep the clipboard from pages that come without HTTPS from another machine.
  async function copyText(text) {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return;
    }
    const box = document.createElement('textarea');
    box.value = text;
    document.body.append(box);
    box.select();
    document.execCommand('copy');
    box.remove();
  }

  async function copyTurn(button) {
    const turn = button.closest('.turn');
    await copyText(plainText(turn));
    tell(button, 'Copied');
  }

  function tell(button, text) {
    const before = button.textContent;
    button.textContent = text;
    setTimeout(() => { button.textContent = before; }, 1500);
  }

  // ------------------------------------------------------------ saving files
  function saveFile(place) {
    const text = place.querySelector('[data-file]');
    if (!text || text.dataset.once === place.dataset.saved) return;
    place.dataset.saved = text.dataset.once;
    save(text.dataset.file, text.textContent);
  }

  function save(name, text) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  // ------------------------------------------------------------ tables
  function tableOf(button) {
    const table = button.closest('.turn').querySelector('table').cloneNode(true);
    table.querySelectorAll('.chip').forEach((chip) => chip.remove());
    return [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
  }

  // A spreadsheet runs a cell that starts so as a formula.
  const harmless = (text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

  function saveTable(button) {
    const quoted = (text) => `"${harmless(text).replaceAll('"', '""')}"`;
    const lines = tableOf(button).map((row) => row.map(quoted).join(','));
    save('comparison.csv', `${lines.join('\r\n')}\r\n`);
  }

  async function copyTable(button) {
    const flat = (text) => harmless(text).replace(/\s+/g, ' ');
    const lines = tableOf(button).map((row) => row.map(flat).join('\t'));
    await copyText(lines.join('\n'));
    tell(button, 'Copied');
  }

  // ------------------------------------------------------------ tabs
  function showTab(name) {
    document.body.dataset.tab = name;
    document.querySelectorAll('[role="tab"]').forEach((tab) => {
      const chosen = tab.dataset.tab === name;
      tab.setAttribute('aria-selected', String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    });
    closeSource();
  }

  function moveTab(event) {
    const tabs = [...document.querySelectorAll('[role="tab"]')];
    const at = tabs.indexOf(event.target);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (at < 0 || !step) return;
    const next = tabs[(at + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  }

  function focusQuestion() {
    const box = document.querySelector('#question textarea');
    if (box) box.focus();
  }

  function toggleSide(button) {
    const open = document.body.classList.toggle('side-open');
    button.setAttribute('aria-expanded', String(open));
  }

  const LEADS = {
    'toggle-side': toggleSide,
    source: openSource,
    paper: openSource,
    copy: copyTurn,
    'table-copy': copyTable,
    'table-csv': saveTable,
    example: focusQuestion,
    edit: focusQuestion,
    narrow: (button) => { if (button.dataset.paper) { showTab('chat'); focusQuestion(); } },
    summarise: () => showTab('chat'),
    discuss: () => showTab('chat'),
    add: (button) => { if (button.closest('#source')) showTab('compare'); },
  };
  document.addEventListener('click', (event) => {
    const button = event.target.closest('button');
    if (!button) return;
    const lead = LEADS[button.dataset.on];
    if (lead) lead(button, event);
    if (button.name === 'do' && button.value === 'ask') showTab('chat');
    if (button.name === 'do' && button.value === 'compare') showTab('compare');
    if (button.getAttribute('role') === 'tab') showTab(button.dataset.tab);
    if (button.dataset.close === 'source') closeSource();
  });
  document.addEventListener('submit', (event) => {
    const { submitter } = event;
    if (!submitter || submitter.value !== 'remove') return;
    const count = event.target.querySelectorAll('input[name="paper"]:checked').length;
    const papers = count === 1 ? '1 paper' : `${count} papers`;
    if (!count || confirm(`Remove ${papers} from the library?`)) return;
    event.preventDefault();
    event.stopPropagation();
  }, true);
  document.addEventListener('keydown', (event) => {
    if (event.target.getAttribute && event.target.getAttribute('role') === 'tab') moveTab(event);
    if (event.key !== 'Escape') return;
    if (preview) hidePreview();
    else closeSource();
  });

  // ------------------------------------------------------------ following the answer
  let following = true;
  const page = () => document.scrollingElement;
  addEventListener('scroll', () => {
    following = page().scrollHeight - page().scrollTop - innerHeight < NEAR_PX;
  }, { passive: true });

  function follow() {
    if (following) page().scrollTop = page().scrollHeight;
  }

  // The form stands above the question, which sticks to the end of the window and would hide it.
  document.addEventListener('toggle', (event) => {
    if (event.target.matches('.scope') && event.target.open) page().scrollTop = page().scrollHeight;
  }, true);

  // ------------------------------------------------------------ telling screen readers
  // A part that is drawn anew is not read reliably; one that stays and changes is.
  const TOLD_AGAIN_MS = 5000;
  let teller = null;
  let told = -TOLD_AGAIN_MS;

  function sayNow(text) {
    if (teller.textContent === text) return;
    teller.textContent = text;
    told = performance.now();
  }

  function sayStage() {
    const stage = document.querySelector('#running .stage');
    if (stage && performance.now() - told > TOLD_AGAIN_MS) sayNow(stage.textContent);
  }

  function sayAnswer() {
    const turn = document.querySelector('#turns .turn:last-child');
    if (turn) sayNow(`Answered. ${plainText(turn)}`);
  }

  function addTeller() {
    teller = document.createElement('div');
    teller.id = 'teller';
    teller.setAttribute('role', 'status');
    document.body.append(teller);
  }

  document.body.dataset.tab = 'chat';

  function watch() {
    const running = byId('running');
    const source = byId('source');
    if (!running || !source) {
      setTimeout(watch, 50);
      return;
    }
    const options = { childList: true, subtree: true, characterData: true };
    let wasRunning = false;
    addTeller();
    new MutationObserver(() => {
      const isRunning = running.textContent.trim() !== '';
      if (isRunning && !wasRunning) [following, told] = [true, -TOLD_AGAIN_MS];
      if (isRunning) sayStage();
      else if (wasRunning) requestAnimationFrame(sayAnswer);
      wasRunning = isRunning;
      if (isRunning) follow();
    }).observe(running, options);
    new MutationObserver(sourceChanged).observe(source, { ...options, attributes: true });
    document.querySelectorAll('#download, #source-download, #library-download').forEach((place) => {
      new MutationObserver(() => saveFile(place)).observe(place, { ...options, attributes: true });
    });
  }
  watch();
})();
