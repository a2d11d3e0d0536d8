// Opens the pages of a server in a browser and prints what is wrong with them, a line each; nothing is good. Notes go to
// standard error.
//
//   node check.cjs MODULES BROWSER PLAN
//
// PLAN is a JSON file: {origin, pages: [{name, path, axe}], quiet}. The run in progress at /live must change while this
// runs. SCREENSHOTS names a folder for pictures.
'use strict';
const fs = require('fs');
const path = require('path');

const [modules, executablePath, planFile] = process.argv.slice(2);
const { chromium } = require(path.join(modules, 'playwright-core'));
const axe = fs.readFileSync(path.join(modules, 'axe-core', 'axe.min.js'), 'utf8');
const { origin, pages } = JSON.parse(fs.readFileSync(planFile, 'utf8'));
const port = new URL(origin).port;

const complain = text => console.log(text.replace(/\s+/g, ' ').slice(0, 500));

function watch(page, where) {
  page.on('console', m => complain(`${where()}: the console says ${m.type()}: ${m.text()}`));
  page.on('pageerror', e => complain(`${where()}: an error: ${e.message}`));
  page.on('dialog', d => { complain(`${where()}: a dialog: ${d.message()}`); d.dismiss(); });
  page.on('request', r => {
    const to = r.url();
    if (!to.startsWith(origin + '/') && !to.startsWith('data:')) complain(`${where()}: a request for ${to}`);
  });
}

// Before the page is unfolded: the first of a list is seen without scrolling, and no two runs of a list have links that
// read alike.
async function lists(page, where) {
  const found = await page.evaluate(() => ({
    first: [...document.querySelectorAll('main tbody tr')].map(e => e.getBoundingClientRect().top)[0] || 0,
    links: [...document.querySelectorAll('tbody th a[href*="/runs/"]')].map(e => e.innerText),
  }));
  if (/^(runs|traces)/.test(where) && found.first > 600) complain(`${where}: the list begins ${found.first} px down`);
  if (new Set(found.links).size < found.links.length) complain(`${where}: links read alike: ${found.links}`);
}

async function check(context, item, scheme, width) {
  const where = `${item.name}, ${scheme}, ${width} px`;
  const page = await context.newPage();
  watch(page, () => where);
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: scheme });
  const answer = await page.goto(origin + item.path, { timeout: 60000, waitUntil: 'load' });
  if (answer.status() !== (item.status || 200)) complain(`${where}: status ${answer.status()}`);
  await lists(page, where);
  const found = await page.evaluate(() => {
    document.querySelectorAll('details').forEach(d => { d.open = true; });
    const wide = document.documentElement.scrollWidth;
    const beyond = wide <= window.innerWidth ? '' : [...document.querySelectorAll('body *')]
      .filter(e => e.getBoundingClientRect().right > window.innerWidth && !e.closest('.scroll, pre')).map(e => e.outerHTML.slice(0, 120))[0];
    const cut = [...document.querySelectorAll('.scroll')].filter(e => e.querySelector('table') && e.scrollWidth > e.clientWidth)
      .map(e => e.getAttribute('aria-label'))[0];
    return { wide, beyond, cut, title: document.title, headings: document.querySelectorAll('h1').length,
      font: getComputedStyle(document.body).maxWidth };
  });
  if (found.wide > width) complain(`${where}: ${found.wide} px wide: ${found.beyond}`);
  if (found.cut && width < 640) complain(`${where}: cut: ${found.cut}`);
  if (found.title === 'owned' || found.headings !== 1) complain(`${where}: title ${found.title}, ${found.headings} headings`);
  if (found.font === 'none') complain(`${where}: the style is not there`);
  if (process.env.SCREENSHOTS) {
    await page.screenshot({ path: path.join(process.env.SCREENSHOTS, `${item.name}-${scheme}-${width}.png`), fullPage: true });
  }
  await page.evaluate(axe);
  const result = await page.evaluate(() => window.axe.run(document, { preload: false, resultTypes: ['violations'] }));
  for (const v of result.violations) complain(`${where}: ${v.id}: ${v.help}: ${v.nodes.length} times, such as ${v.nodes[0].html}: ${v.nodes[0].failureSummary}`);
  await page.close();
}

// What happens is shown without anybody asking, and without the page being loaded again.
async function live(browser) {
  const context = await browser.newContext();
  const page = await context.newPage();
  watch(page, () => 'live events');
  await page.goto(origin + '/live');
  await page.evaluate(() => { window.here = true; });
  const text = () => page.evaluate(() => document.getElementById('live').innerText);
  const before = await text();
  await page.waitForFunction(() => Number(document.getElementById('live').dataset.heard || 0) >= 3, null, { timeout: 60000 });
  if (await text() === before) complain('live: nothing has changed');
  if (!await page.evaluate(() => window.here)) complain('live: the page was loaded again');
  if (await page.title() === 'owned') complain('live: a script ran');
  await context.close();
}

// Without scripts everything can be read and asked, and the run in progress is loaded again by itself.
async function withoutScript(browser) {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  watch(page, () => 'without a script');
  for (const item of pages) {
    await page.goto(origin + item.path);
    const text = await page.locator('main').innerText();
    if (text.trim().length < 20) complain(`${item.name}: without a script it says ${text}`);
  }
  await page.goto(origin + '/live');
  let loads = 0;
  page.on('load', () => { loads += 1; });
  await page.waitForTimeout(7000);
  if (loads < 1) complain('live: without a script nothing is loaded again');
  await page.goto(origin + '/traces');
  await page.locator('input[name=text]').fill('shipped');
  await page.locator('form.ask button').click();
  if (!page.url().includes('text=shipped')) complain(`traces: the form leads to ${page.url()}`);
  await context.close();
}

// All is reached by the keyboard, and it is seen where one is.
async function keyboard(browser) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  watch(page, () => 'keyboard');
  await page.goto(origin + '/runs?suite=shop');
  await page.keyboard.press('Tab');
  const first = await page.evaluate(() => ({ text: document.activeElement.innerText, left: document.activeElement.getBoundingClientRect().left }));
  if (!first.text.startsWith('Skip') || first.left < 0) complain(`keyboard: the first stop is ${JSON.stringify(first)}`);
  const reached = new Set();
  for (let i = 0; i < 200; i++) {
    const at = await page.evaluate(() => {
      const e = document.activeElement;
      const s = getComputedStyle(e);
      return { what: e === document.body ? '' : e.outerHTML.slice(0, 150), name: e.getAttribute('name'), href: e.getAttribute('href'),
        outline: s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0 };
    });
    if (at.what === '' && i > 0) break;
    if (at.what !== '' && !at.outline) complain(`keyboard: nothing shows that one is at ${at.what}`);
    reached.add(at.name || at.href || at.what);
    if (at.what.startsWith('<summary')) await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
  }
  for (const want of ['/runs', '/traces', 'suite', 'since', 'baseline', 'candidate', 'theme']) {
    if (!reached.has(want)) complain(`keyboard: ${want} is not reached`);
  }
  await page.goto(origin + '/runs?suite=shop');
  await page.locator('input[name=candidate]').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown'); // the one below is the baseline
  const chosen = await page.evaluate(() => document.activeElement.value);
  await page.locator('form[action="/compare"] button').focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/compare\?/, { timeout: 30000 });
  if (!page.url().includes(`candidate=${chosen}`)) complain(`keyboard: ${chosen} was chosen, and ${page.url()} is shown`);
  await context.close();
}

// The colours that were chosen stay.
async function colours(browser) {
  const context = await browser.newContext({ colorScheme: 'light' });
  const page = await context.newPage();
  watch(page, () => 'colours');
  await page.goto(origin + '/');
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.locator('label:has(#theme-dark)').click();
  const dark = await ground();
  await page.goto(origin + '/baselines');
  if (light === dark || await ground() !== dark) complain(`colours: ${light}, ${dark}, then ${await ground()}`);
  await context.close();
}

// A name that others made lead here shows nothing.
async function otherName(browser) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const answer = await page.goto(`http://elsewhere.test:${port}/`);
  const text = await page.locator('body').innerText();
  if (answer.status() !== 421 || text.includes('shop')) complain(`another name: ${answer.status()} ${text}`);
  await context.close();
}

async function main() {
  const browser = await chromium.launch({
    executablePath,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--host-resolver-rules=MAP elsewhere.test 127.0.0.1'],
  });
  try {
    const context = await browser.newContext();
    for (const item of pages) {
      for (const scheme of ['light', 'dark']) {
        for (const width of [1280, scheme === 'light' ? 390 : 500]) await check(context, item, scheme, width);
      }
    }
    await context.close();
    for (const part of [live, withoutScript, keyboard, colours, otherName]) await part(browser);
  } finally {
    await browser.close();
  }
}

main().catch(e => {
  console.log(e.stack);
  process.exitCode = 1;
});
