// Small parts that pages are made of. Text always goes in as text nodes.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function table(headings, rows, empty) {
  if (rows.length === 0) return h('p', {class: 'muted'}, empty);
  return h('div', {class: 'table-frame'}, h('table', {},
      h('thead', {}, h('tr', {}, headings.map((text) => h('th', {scope: 'col'}, text)))),
      h('tbody', {}, rows.map((row) => h('tr', row.attributes || {}, row.cells.map((cell) => h('td', {}, cell)))))));
}

export const row = (cells, attributes) => ({cells: cells.map((cell) => cell ?? ''), attributes});

const TONES = {
  complete: 'good', healthy: 'good', full: 'good', failed: 'bad', stopped: 'bad', failed_simulation: 'bad',
  rolling_back: 'bad', rolled_back: 'bad', paused: 'wait', open: 'wait',
};

export function badge(state) {
  return h('span', {class: `badge ${TONES[state] || ''}`}, state.replaceAll('_', ' '));
}

// What went wrong for a member or a report: the error's name, then what and where.
export function problem(item) {
  return item.error_name ? `${item.error_name}: ${item.error_text}` : item.error_text;
}

export function time(ms) {
  return ms ? new Date(ms).toLocaleString() : '-';
}

export function bytes(count) {
  if (count < 1024) return `${count} B`;
  return count < 1024 * 1024 ? `${(count / 1024).toFixed(1)} KiB` : `${(count / 1048576).toFixed(1)} MiB`;
}

export function notice(text, milliseconds = 6000) {
  const box = document.getElementById('notice');
  box.textContent = text;
  box.hidden = false;
  clearTimeout(box.timer);
  box.timer = setTimeout(() => { box.hidden = true; }, milliseconds);
}
