// What the page does by itself: previews, the source panel, copying, and following the answer.
(() => {
  'use strict';
  const byId = (id) => document.getElementById(id);
  const NARROW = '(max-width: 1000px)';
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

  function openSource(button) {
    hidePreview();
    opener = button;
    document.body.classList.add('source-open');
    document.querySelectorAll('[aria-pressed]').forEach((b) => b.removeAttribute('aria-pressed'));
    button.setAttribute('aria-pressed', 'true');
  }

  function closeSource() {
    if (!document.body.classList.contains('source-open')) return;
    document.body.classList.remove('source-open');
    if (opener && opener.isConnected) opener.focus();
  }

  function sourceChanged() {
    const panel = byId('source');
    const cited = byId('cited');
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

  async function copyTurn(button) {
    const turn = button.closest('.turn');
    await navigator.clipboard.writeText(plainText(turn));
    const before = button.textContent;
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = before; }, 1500);
  }

  document.addEventListener('click', (event) => {
    const button = event.target.closest('button');
    if (!button) return;
    if (button.dataset.on === 'source') openSource(button);
    if (button.dataset.on === 'copy') copyTurn(button);
    if (button.dataset.on === 'example') {
      const box = document.querySelector('#question textarea');
      if (box) box.focus();
    }
    if (button.dataset.close === 'source') closeSource();
  });
  document.addEventListener('keydown', (event) => {
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

  function watch() {
    const running = byId('running');
    const source = byId('source');
    if (!running || !source) {
      setTimeout(watch, 50);
      return;
    }
    const options = { childList: true, subtree: true, characterData: true };
    let wasRunning = false;
    new MutationObserver(() => {
      const isRunning = running.textContent.trim() !== '';
      if (isRunning && !wasRunning) following = true;
      wasRunning = isRunning;
      if (isRunning) follow();
    }).observe(running, options);
    new MutationObserver(sourceChanged).observe(source, { ...options, attributes: true });
    document.body.classList.toggle('narrow', matchMedia(NARROW).matches);
  }
  watch();
})();
