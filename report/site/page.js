// Pages can be read without this: it brings the events of a run in progress, and keeps the colours that were chosen.
'use strict';
(() => {
  const live = document.getElementById('live');
  if (live && window.EventSource) {
    const events = new EventSource(live.dataset.events);
    events.addEventListener('state', event => {
      const shown = new DOMParser().parseFromString(event.data, 'text/html');
      live.replaceChildren(...shown.body.childNodes);
      live.dataset.heard = String(Number(live.dataset.heard || 0) + 1);
    });
    events.addEventListener('over', () => events.close());
  }
  const themes = ['theme-auto', 'theme-light', 'theme-dark'];
  let chosen = null;
  try { chosen = localStorage.getItem('theme'); } catch { /* storage is not allowed */ }
  if (themes.includes(chosen)) document.getElementById(chosen).checked = true;
  for (const id of themes) {
    document.getElementById(id).addEventListener('change', () => {
      try { localStorage.setItem('theme', id); } catch { /* storage is not allowed */ }
    });
  }
})();
