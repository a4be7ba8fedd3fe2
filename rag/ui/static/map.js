// Draws the map of the library on a canvas: pan, zoom, hover, click, select.
(() => {
  'use strict';
  const HUES = [195, 25, 265, 95, 335, 55, 220, 150, 0, 290, 120, 40];
  const REACH_PX = 12;
  let map = null;

  function start(canvas) {
    const data = JSON.parse(canvas.dataset.points);
    const [x, y, topic, list, id, title, hit] = [0, 1, 2, 3, 4, 5, 6];
    const frame = canvas.parentElement;
    const root = document.getElementById('picture');
    const part = (name) => root.querySelector(`[data-map="${name}"]`);
    const view = { scale: 1, left: 0, top: 0 };
    const chosen = new Set();
    let hovered = -1;
    const pen = canvas.getContext('2d');
    const style = () => getComputedStyle(document.body);

    const at = (point) => [
      (point[x] - view.left) * view.scale * frame.clientWidth,
      (point[y] - view.top) * view.scale * frame.clientHeight,
    ];
    // Asked once for a picture: there may be tens of thousands of points.
    const colours = () => {
      const by = part('colour').value === 'list' ? list : topic;
      const light = document.body.classList.contains('dark') ? 65 : 40;
      const drawn = HUES.map((hue) => `hsl(${hue} 45% ${light}%)`);
      return (point) => drawn[point[by] % HUES.length];
    };

    function draw() {
      const ratio = devicePixelRatio || 1;
      const [width, height] = [frame.clientWidth, frame.clientHeight];
      canvas.width = width * ratio;
      canvas.height = height * ratio;
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, width, height);
      const size = Math.max(1.5, Math.min(6, 90 / Math.sqrt(data.points.length))) * Math.min(2, Math.sqrt(view.scale));
      const colourOf = colours();
      data.points.forEach((point, index) => {
        const [px, py] = at(point);
        if (px < -9 || py < -9 || px > width + 9 || py > height + 9) return;
        pen.fillStyle = colourOf(point);
        pen.beginPath();
        pen.arc(px, py, index === hovered ? size + 3 : size, 0, 7);
        pen.fill();
        if (point[hit] || chosen.has(index)) ring(px, py, size + 3, chosen.has(index));
      });
      labels(width, height);
    }

    function ring(px, py, size, strong) {
      pen.strokeStyle = style().getPropertyValue('--ink') || '#000';
      pen.lineWidth = strong ? 2.5 : 1.5;
      pen.setLineDash(strong ? [] : [3, 2]);
      pen.beginPath();
      pen.arc(px, py, size, 0, 7);
      pen.stroke();
      pen.setLineDash([]);
    }

    // Group names first, then titles where there is room; a label never covers another.
    function labels(width, height) {
      const taken = [];
      const ink = style().getPropertyValue('--ink') || '#000';
      const paper = style().getPropertyValue('--panel') || '#fff';
      const put = (text, px, wanted, font, plate = false) => {
        pen.font = font;
        const w = pen.measureText(text).width;
        const py = plate ? Math.max(16, Math.min(wanted, height - 16)) : wanted;
        const box = [Math.max(8, Math.min(px - w / 2, width - w - 8)), py - 8, w, 16];
        if (py < 12 || py > height - 6) return;
        if (taken.some((o) => box[0] < o[0] + o[2] + 6 && o[0] < box[0] + box[2] + 6 && box[1] < o[1] + o[3] + 2 && o[1] < box[1] + box[3] + 2)) return;
        taken.push(box);
        if (plate) {
          pen.globalAlpha = 0.88;
          pen.fillStyle = paper;
          pen.fillRect(box[0] - 5, py - 12, w + 10, 24);
          pen.globalAlpha = 1;
        }
        pen.lineWidth = 4;
        pen.strokeStyle = paper;
        pen.lineJoin = 'round';
        pen.textBaseline = 'middle';
        pen.strokeText(text, box[0], py);
        pen.fillStyle = ink;
        pen.fillText(text, box[0], py);
      };
      const by = part('colour').value === 'list' ? list : topic;
      const names = by === list ? data.lists : data.topics;
      names.forEach((name, group) => {
        const members = data.points.filter((point) => point[by] === group).map(at);
        if (!members.length) return;
        const middle = (k) => members.map((m) => m[k]).sort((a, b) => a - b)[members.length >> 1];
        put(name, middle(0), middle(1) - 16, '600 15px system-ui, sans-serif', true);
      });
      const inside = data.points.filter((point) => {
        const [px, py] = at(point);
        return px > 0 && py > 0 && px < width && py < height;
      });
      if (inside.length > 60) return;
      inside.forEach((point) => {
        const [px, py] = at(point);
        const short = point[title].length > 28 ? `${point[title].slice(0, 27)}…` : point[title];
        put(short, px, py + 14, '12px system-ui, sans-serif');
      });
    }

    function nearest(event) {
      const box = canvas.getBoundingClientRect();
      const [mx, my] = [event.clientX - box.left, event.clientY - box.top];
      let best = -1;
      let reach = REACH_PX ** 2;
      data.points.forEach((point, index) => {
        const [px, py] = at(point);
        const far = (px - mx) ** 2 + (py - my) ** 2;
        if (far < reach) [best, reach] = [index, far];
      });
      return best;
    }

    function showTip(event) {
      const tip = frame.querySelector('.map-tip');
      tip.hidden = hovered < 0;
      if (hovered < 0) return;
      tip.textContent = data.points[hovered][title];
      const box = frame.getBoundingClientRect();
      tip.style.left = `${Math.min(event.clientX - box.left + 12, box.width - 220)}px`;
      tip.style.top = `${event.clientY - box.top + 12}px`;
    }

    function open(index) {
      const button = root.querySelector('[data-on="paper"][hidden]');
      button.dataset.paper = data.points[index][id];
      button.click();
    }

    function choose(index) {
      if (!chosen.delete(index)) chosen.add(index);
      showChosen();
    }

    function showChosen() {
      const form = root.querySelector('.map-chosen');
      form.hidden = chosen.size === 0;
      form.querySelector('span').textContent = `${chosen.size} chosen`;
      form.elements.paper.value = [...chosen].map((index) => data.points[index][id]).join('\n');
      draw();
    }

    function zoom(factor, px, py) {
      const scale = Math.max(1, Math.min(60, view.scale * factor));
      const [fx, fy] = [px / frame.clientWidth, py / frame.clientHeight];
      view.left += fx / view.scale - fx / scale;
      view.top += fy / view.scale - fy / scale;
      view.scale = scale;
      draw();
    }

    let drag = null;
    canvas.addEventListener('pointerdown', (event) => {
      drag = { x: event.clientX, y: event.clientY, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (drag) {
        const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
        if (!drag.moved && Math.hypot(dx, dy) < 4) return;
        drag = { x: event.clientX, y: event.clientY, moved: true };
        view.left -= dx / frame.clientWidth / view.scale;
        view.top -= dy / frame.clientHeight / view.scale;
        draw();
        return;
      }
      const before = hovered;
      hovered = nearest(event);
      canvas.style.cursor = hovered < 0 ? 'grab' : 'pointer';
      showTip(event);
      if (before !== hovered) draw();
    });
    canvas.addEventListener('pointerup', (event) => {
      const index = drag && !drag.moved ? nearest(event) : -1;
      drag = null;
      if (index < 0) return;
      if (part('select').checked || event.shiftKey) choose(index);
      else open(index);
    });
    canvas.addEventListener('pointerleave', () => { hovered = -1; showTip(); draw(); });
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      zoom(event.deltaY < 0 ? 1.25 : 0.8, event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
    part('colour').addEventListener('change', draw);
    const zoomMiddle = (factor) => zoom(factor, frame.clientWidth / 2, frame.clientHeight / 2);
    part('closer').addEventListener('click', () => zoomMiddle(1.6));
    part('farther').addEventListener('click', () => zoomMiddle(1 / 1.6));
    part('reset').addEventListener('click', () => {
      Object.assign(view, { scale: 1, left: 0, top: 0 });
      draw();
    });
    part('clear').addEventListener('click', () => { chosen.clear(); showChosen(); });
    new ResizeObserver(draw).observe(frame);
    draw();
    // What the picture shows, for scripts that look at the page from outside.
    canvas.placeOf = (paper) => at(data.points.find((point) => point[id] === paper));
  }

  function look() {
    const canvas = document.getElementById('map-canvas');
    if (!canvas || canvas.dataset.points === map) return;
    map = canvas.dataset.points;
    const fresh = canvas.cloneNode(false);
    canvas.replaceWith(fresh);
    start(fresh);
  }

  function watch() {
    const root = document.getElementById('picture');
    if (!root) {
      setTimeout(watch, 100);
      return;
    }
    new MutationObserver(look).observe(root, { childList: true, subtree: true, attributes: true });
    look();
  }
  watch();
})();
