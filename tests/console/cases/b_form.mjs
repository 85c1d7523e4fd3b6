// The form of a new release: nothing is sent blindly, and the release reaches whom the preview showed.
import {api, check, equal, shows, signIn, textOf, until, visit} from '../browser.mjs';

const RULE = '#rule .cm-content';

async function open(page) {
  await signIn(page, {at: '#/releases/new'});
  await page.locator('#package').waitFor();
}

export default {
  'a fresh form starts nothing: who must be chosen': async (page) => {
    await open(page);
    check(await page.locator('#start').isDisabled(), 'start may be pressed at once');
    await shows(page, '#blocked', 'Choose who may get it');
    await page.check('#who-rule');
    check(await page.locator('#start').isDisabled(), 'start may be pressed without a rule');
    await page.check('#who-all');
    await shows(page, '#reached', '4 devices');
    await until('start to be free', () => page.locator('#start').isEnabled());
    await page.click('#start');
    await shows(page, '#question', '4 devices of 4, 100 %');
    await shows(page, '#question', 'every device of the fleet');
    await shows(page, '#question', 'never released before');
    await page.keyboard.press('Escape');
    await page.locator('#question').waitFor({state: 'detached'});
    equal((await api('GET', '/releases')).releases, [], 'releases');
  },

  'a wrong rule stands at its field while typing, with its place, and no old preview beside it': async (page) => {
    await open(page);
    await page.check('#who-rule');
    await page.locator(RULE).fill('app_version < "2.0.0"');
    await shows(page, '#reached', '3 devices of 4, 75 %');
    await page.locator(RULE).fill('app_version < "2.0.0" and colour == "red"');
    await shows(page, '#rule-wrong', 'there is no attribute or function colour');
    await page.locator('#rule .cm-lintRange-error').waitFor();
    equal(await textOf(page, '#rule .cm-lintRange-error'), 'colour', 'underlined');
    equal(await page.locator('#reached').count(), 0, 'old previews');
    check(await page.locator('#start').isDisabled(), 'start may be pressed');
    equal(await page.locator('.toast').count(), 0, 'toasts');
  },

  'the rule is completed': async (page) => {
    await open(page);
    await page.check('#who-rule');
    await page.locator(RULE).click();
    await page.keyboard.type('app_v');
    await page.locator('.cm-tooltip-autocomplete').waitFor();
    await page.waitForTimeout(150);
    await page.keyboard.press('Enter');
    equal((await page.locator(RULE).innerText()).trim().startsWith('app_version >= "'), true, 'completed');
  },

  'the release reaches those that were shown: salt and stages are those of the preview': async (page) => {
    await open(page);
    await page.selectOption('#package', 'digits@1.0.0');
    await page.check('#who-rule');
    await page.locator(RULE).fill('app_version < "2.0.0" and percent(40)');
    await page.locator('#reached').waitFor();
    const shown = await until('devices', async () => {
      const ids = await page.locator('.devices-in li a').evaluateAll((links) => links.map((link) => link.title));
      return (await page.locator('[data-current="true"]').count()) > 0 ? {ids} : null;
    });
    const salt = await page.locator('.form-side code').innerText();
    // What is typed stays over navigation.
    await visit(page, '#/fleet');
    await visit(page, '#/releases/new');
    await page.locator('#reached').waitFor();
    equal(await page.locator('.form-side code').innerText(), salt, 'salt');
    if (shown.ids.length === 0) return;
    await until('keep', () => page.locator('#keep').isEnabled());
    await page.click('#keep');
    // Two presses at once make one release.
    await page.locator('#question-do').dblclick();
    await shows(page, 'main h1', 'draft');
    const {releases} = await api('GET', '/releases');
    equal(releases.length, 1, 'releases');
    equal(releases[0].salt, salt, 'salt of the release');
    const preview = await api('POST', '/releases/preview', {rule: releases[0].rule, salt});
    equal(preview.devices.sort(), shown.ids.sort(), 'devices');
    const standard = await api('POST', '/releases/preview', {rule: 'all'});
    equal((await api('GET', `/releases/${releases[0].id}`)).stages.map((stage) => stage.kind), standard.stages.map((stage) => stage.kind), 'the standard plan');
    await api('POST', `/releases/${releases[0].id}/halt`, {why: 'only a draft'});
  },

  'stages of one\'s own say what is wrong at their row': async (page) => {
    await open(page);
    await page.check('#who-all');
    await page.check('#plan-own');
    await page.locator('.stage-row').nth(2).getByLabel('Share, %').fill('300');
    await shows(page, '.stage-row:nth-child(3)', 'under 100');
    check(await page.locator('#start').isDisabled(), 'start may be pressed');
    await page.locator('.stage-row').nth(2).getByLabel('Share, %').fill('60');
    await shows(page, '.stage-row:nth-child(4)', 'percent must be larger than in the stage before');
    await page.locator('.stage-row').nth(3).getByLabel('Share, %').fill('80');
    await until('start', () => page.locator('#start').isEnabled());
  },
};
