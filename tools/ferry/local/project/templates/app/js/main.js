import { App } from './app.js';

const app = new App();
(await app.classify([1, 0, 0, 0])).forEach((prob, number) => console.log(`class ${number}: ${prob.toFixed(3)}`));
for (let reading = 0; reading < 6; ++reading) app.send(reading);
console.log('means:', app.means());
