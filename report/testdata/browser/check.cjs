// Opens pages in a browser and prints what is wrong with them, a line each; nothing is
// good. Notes, such as how long a page took, go to standard error.
//
//   node check.cjs MODULES BROWSER PLAN
//
// PLAN is a JSON file: a list of {name, file, sections, axe, unfold}. With axe, the page is
// checked in both themes and both widths, and by axe; without, in one theme. With unfold it is
// checked as it opens and with everything unfolded, else as it opens. SCREENSHOTS names a folder for pictures.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { pathToFileURL } = require('url');

const [modules, executablePath, planFile] = process.argv.slice(2);
const { chromium } = require(path.join(modules, 'playwright-core'));
const axe = fs.readFileSync(path.join(modules, 'axe-core', 'axe.min.js'), 'utf8');
const plan = JSON.parse(fs.readFileSync(planFile, 'utf8'));

const complain = text => console.log(text.replace(/\s+/g, ' ').slice(0, 500));

async function open(context, item, scheme, width) {
  const url = pathToFileURL(item.file).href;
  const where = `${item.name}, ${scheme}, ${width} px`;
  const page = await context.newPage();
  page.on('console', m => complain(`${where}: the console says ${m.type()}: ${m.text()}`));
  page.on('pageerror', e => complain(`${where}: an error: ${e.message}`));
  page.on('request', r => {
    const to = r.url();
    if (to !== url && !to.startsWith('data:')) complain(`${where}: a request for ${to}`);
  });
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: scheme });
  await page.goto(url, { timeout: 120000 });
  return { page, where };
}

async function look({ page, where }, item, width, unfold) {
  const found = await page.evaluate(unfold => {
    if (unfold) document.querySelectorAll('details').forEach(d => { d.open = true; });
    const sections = [...document.querySelectorAll('h2[id]')].filter(h => h.getClientRects().length > 0).map(h => h.id);
    const links = [...document.querySelectorAll('nav a')].map(a => a.getAttribute('href').slice(1));
    const wide = document.documentElement.scrollWidth;
    const beyond = wide <= window.innerWidth ? '' : [...document.querySelectorAll('body *')]
      .filter(e => e.getBoundingClientRect().right > window.innerWidth && !e.closest('.scroll, pre')).map(e => e.outerHTML.slice(0, 120))[0];
    const pictures = [...document.images].filter(i => !(i.complete && i.naturalWidth > 0)).map(i => i.alt);
    return { sections, links, wide, beyond, pictures };
  }, unfold);
  for (const id of item.sections) if (!found.sections.includes(id)) complain(`${where}: there is no section ${id}`);
  for (const id of found.links) if (!found.sections.includes(id)) complain(`${where}: the link to ${id} leads nowhere`);
  for (const alt of found.pictures) complain(`${where}: a picture is not shown: ${alt}`);
  if (found.wide > width) complain(`${where}: ${found.wide} px wide: ${found.beyond}`);
}

async function check(context, item, scheme, width) {
  const opened = await open(context, item, scheme, width);
  const { page, where } = opened;
  await look(opened, item, width, false);
  if (process.env.SCREENSHOTS) {
    const file = path.join(process.env.SCREENSHOTS, `${item.name}-${scheme}-${width}.png`);
    await page.screenshot({ path: file, fullPage: item.axe || item.unfold });
  }
  if (item.unfold) await look(opened, item, width, true);
  if (item.axe) {
    await page.evaluate(axe);
    const result = await page.evaluate(() => window.axe.run(document, { preload: false, resultTypes: ['violations'] }));
    for (const v of result.violations) complain(`${where}: ${v.id}: ${v.help}: ${v.nodes.length} times, such as ${v.nodes[0].html}: ${v.nodes[0].failureSummary}`);
  } else {
    const took = await page.evaluate(() => performance.getEntriesByType('navigation')[0].loadEventEnd);
    console.error(`${where}: loaded in ${(took / 1000).toFixed(1)} s`);
  }
  await page.close();
}

async function main() {
  const userData = fs.mkdtempSync(path.join(os.tmpdir(), 'browser-'));
  const context = await chromium.launchPersistentContext(userData, {
    executablePath,
    headless: true,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  try {
    for (const item of plan) {
      for (const scheme of item.axe ? ['light', 'dark'] : ['light']) {
        for (const width of [1280, 390]) await check(context, item, scheme, width);
      }
    }
  } finally {
    await context.close();
    fs.rmSync(userData, { recursive: true, force: true });
  }
}

main().catch(e => {
  console.log(e.stack);
  process.exitCode = 1;
});
